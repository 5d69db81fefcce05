//! Signatures checked with ring, the cryptography that TLS uses here too.
//!
//! jsonwebtoken delegates this to a provider. Ours does not sign and does not support shared secrets, so
//! that a public key can never be taken for one.
use jsonwebtoken::crypto::{CryptoProvider, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{Error, ErrorKind};
use jsonwebtoken::signature::{Error as Bad, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind};
use ring::signature as sig;

/// Installs the provider for this process, once.
pub(super) fn install() {
    static PROVIDER: CryptoProvider = CryptoProvider {
        signer_factory: |_, _| Err(ErrorKind::UnsupportedAlgorithm.into()),
        verifier_factory: verifier,
        key_utils: KeyUtils::new_unimplemented(),
    };
    if PROVIDER.install_default().is_err() {
        tracing::trace!("the provider of signatures is installed already");
    }
}

enum Check {
    Rsa(&'static sig::RsaParameters),
    Plain(&'static dyn sig::VerificationAlgorithm),
}

struct Ring {
    algorithm: Algorithm,
    check: Check,
    key: DecodingKey,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the provider's form")]
fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Result<Box<dyn JwtVerifier>, Error> {
    let check = match algorithm {
        Algorithm::RS256 => Check::Rsa(&sig::RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => Check::Rsa(&sig::RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => Check::Rsa(&sig::RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => Check::Rsa(&sig::RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => Check::Rsa(&sig::RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => Check::Rsa(&sig::RSA_PSS_2048_8192_SHA512),
        Algorithm::ES256 => Check::Plain(&sig::ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => Check::Plain(&sig::ECDSA_P384_SHA384_FIXED),
        Algorithm::EdDSA => Check::Plain(&sig::ED25519),
        // Shared secrets, and what a later version may add.
        _ => return Err(ErrorKind::InvalidAlgorithm.into()),
    };
    if algorithm.family() != key.family() {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    Ok(Box::new(Ring { algorithm: *algorithm, check, key: key.clone() }))
}

impl Verifier<Vec<u8>> for Ring {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), Bad> {
        let checked = match (&self.check, self.key.kind()) {
            (Check::Rsa(parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                sig::RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (Check::Plain(algorithm), DecodingKeyKind::SecretOrDer(bytes)) => {
                sig::UnparsedPublicKey::new(*algorithm, bytes).verify(message, signature)
            }
            (Check::Rsa(_) | Check::Plain(_), _) => return Err(Bad::new()),
        };
        checked.map_err(|_| Bad::new())
    }
}

impl JwtVerifier for Ring {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}
