//! The demo's MCP client: JSON-RPC, a message a line, one call at a time, which is all that the demo needs.
//! rmcp's own client would be 0.5 MB of the program for this one command.
use std::io;

use anyhow::{Context as _, bail};
use rmcp::model::ProtocolVersion;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

/// A client of the server at the other end of a pipe. The server ends when it is dropped.
pub(super) struct Client {
    incoming: Lines<BufReader<ReadHalf<DuplexStream>>>,
    outgoing: WriteHalf<DuplexStream>,
    /// The id of the last request, counted from 1; also the token of its progress.
    last_id: u64,
}

impl Client {
    /// Shakes hands with the server at the other end.
    pub(super) async fn connect(pipe: DuplexStream) -> anyhow::Result<Self> {
        let (reader, outgoing) = tokio::io::split(pipe);
        let mut client = Self { incoming: BufReader::new(reader).lines(), outgoing, last_id: 0 };
        let initialize = json!({
            "protocolVersion": ProtocolVersion::LATEST_WITH_INITIALIZE,
            "capabilities": {},
            "clientInfo": { "name": "ayeaye demo", "version": env!("CARGO_PKG_VERSION") },
        });
        client.request("initialize", initialize, |_| ()).await?;
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await?;
        Ok(client)
    }

    /// Calls a tool and returns its structured result. `on_progress` gets each message of progress.
    ///
    /// # Errors
    ///
    /// The tool's own words where it failed; a server that has gone.
    pub(super) async fn call(
        &mut self,
        tool: &str,
        arguments: Value,
        on_progress: impl FnMut(&str),
    ) -> anyhow::Result<Value> {
        let params = json!({
            "name": tool,
            "arguments": arguments,
            "_meta": { "progressToken": self.last_id + 1 },
        });
        let mut result = self.request("tools/call", params, on_progress).await?;
        if result["isError"] == true || result["structuredContent"].is_null() {
            let content = result["content"].as_array().into_iter().flatten();
            let words: Vec<_> = content.filter_map(|block| block["text"].as_str()).collect();
            bail!("{tool}: {}", words.join("\n"))
        }
        Ok(result["structuredContent"].take())
    }

    /// Sends a request and reads until its answer has come.
    async fn request(
        &mut self,
        method: &str,
        params: Value,
        mut on_progress: impl FnMut(&str),
    ) -> anyhow::Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await?;
        while let Some(line) = self.incoming.next_line().await? {
            let mut message: Value =
                serde_json::from_str(&line).context("the server's answer is no JSON")?;
            match message["method"].as_str() {
                Some("notifications/progress") if message["params"]["progressToken"] == id => {
                    on_progress(message["params"]["message"].as_str().unwrap_or_default());
                }
                // Other notifications. Requests there are none, since this client declares no capabilities.
                Some(_) => {}
                None if message["id"] != id => {}
                None if message["error"].is_null() => return Ok(message["result"].take()),
                None => bail!("{method}: {}", message["error"]["message"]),
            }
        }
        bail!("{method}: the server has gone")
    }

    async fn send(&mut self, message: &Value) -> io::Result<()> {
        self.outgoing.write_all(format!("{message}\n").as_bytes()).await?;
        self.outgoing.flush().await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A server that answers each request with the lines it was given, in which ID is the request's id.
    fn server(replies: &'static [&'static str]) -> DuplexStream {
        let (near, far) = tokio::io::duplex(1 << 16);
        tokio::spawn(async move {
            let (reader, mut writer) = tokio::io::split(far);
            let mut lines = BufReader::new(reader).lines();
            let mut replies = replies.iter();
            while let Ok(Some(line)) = lines.next_line().await {
                let request: Value = serde_json::from_str(&line).unwrap();
                let Some(id) = request["id"].as_u64() else { continue };
                let Some(reply) = replies.next() else { return };
                let reply = reply.replace("ID", &id.to_string());
                writer.write_all(reply.as_bytes()).await.unwrap();
            }
        });
        near
    }

    const HELLO: &str = "{\"id\":ID,\"result\":{}}\n";

    #[tokio::test]
    async fn progress_is_told_before_the_result_and_other_messages_are_passed_over() {
        let mut client = Client::connect(server(&[
            HELLO,
            "{\"method\":\"notifications/message\",\"params\":{}}\n{\"id\":99,\"result\":{}}\n\
             {\"method\":\"notifications/progress\",\"params\":{\"progressToken\":ID,\"message\":\"step 1\"}}\n\
             {\"id\":ID,\"result\":{\"structuredContent\":{\"devices\":[]}}}\n",
        ]))
        .await
        .unwrap();
        let mut told = Vec::new();
        let result = client.call("tool", json!({}), |words| told.push(words.to_owned())).await;
        assert_eq!(result.unwrap(), json!({ "devices": [] }));
        assert_eq!(told, ["step 1"]);
    }

    #[tokio::test]
    async fn failures_are_told_in_the_servers_words() {
        let mut client = Client::connect(server(&[
            HELLO,
            "{\"id\":ID,\"result\":{\"isError\":true,\"content\":[{\"type\":\"text\",\"text\":\"no phone\"}]}}\n",
            "{\"id\":ID,\"error\":{\"code\":-32602,\"message\":\"no such tool\"}}\n",
        ]))
        .await
        .unwrap();
        for words in
            ["tool: no phone", "tools/call: \"no such tool\"", "tools/call: the server has gone"]
        {
            let err = client.call("tool", json!({}), |_| ()).await.unwrap_err();
            assert_eq!(err.to_string(), words);
        }
    }
}
