//! The server and the command line. From the outside in: what the user says ([`cli`], [`config`]),
//! where it is said to us ([`stdio`], [`http`]), and how all of it ends ([`shutdown`]).
pub mod cli;
pub mod config;
pub mod http;
pub mod log;
pub mod mcp {
    //! Tools as MCP sees them.
    pub mod guard;
}
pub mod shutdown;
pub mod stdio;
#[cfg(test)]
mod testing;
