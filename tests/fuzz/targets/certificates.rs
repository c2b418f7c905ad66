//! Certificates and keys, in DER and PEM.

use a2a_conformance::host::native::certificate::{Certificate, date};
use a2a_conformance::host::native::settings::{certificates, key, roots};

/// Any bytes: of a certificate, or of a file that should hold some.
pub(crate) fn run(data: &[u8]) {
    of_der(data);
    for found in certificates(data).into_iter().flatten() {
        of_der(&found);
    }
    let _ = key(data).map_err(|problem| assert!(!problem.to_string().is_empty()));
    let _ = roots(data).map_err(|problem| assert!(!problem.to_string().is_empty()));
}

fn of_der(der: &[u8]) {
    let Some(certificate) = Certificate::read(der) else { return };
    for name in [&certificate.subject, &certificate.issuer] {
        assert!(!name.is_empty() && !name.chars().any(char::is_control), "{name:?}");
    }
    let _ = (date(certificate.not_before), date(certificate.not_after));
}

/// Certificates of the tests, in both forms.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let pems = [
        &include_bytes!("../../it/tls/localhost.pem")[..],
        include_bytes!("../../it/tls/root.pem"),
        include_bytes!("../../it/tls/localhost.key"),
    ];
    let ders = pems.iter().flat_map(|pem| certificates(pem).into_iter().flatten()).map(|der| der.to_vec());
    ders.chain(pems.iter().map(|pem| pem.to_vec())).collect()
}
