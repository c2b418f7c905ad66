//! A text as a QR code, for a room full of people with phones.

use qrcodegen::{QrCode as Code, QrCodeEcc};

use crate::view_model::messages::QrCode;

/// How many squares are left free around the code (ISO/IEC 18004).
const MARGIN: i32 = 4;

/// The code of a text; `None` where it is too long for one.
#[must_use]
pub fn qr_code(text: &str) -> Option<QrCode> {
    let code = Code::encode_text(text, QrCodeEcc::Low).ok()?;
    let mut path = String::new();
    for y in 0..code.size() {
        let mut x = 0;
        while x < code.size() {
            let dark = (x..code.size()).take_while(|x| code.get_module(*x, y)).count();
            let length = i32::try_from(dark).unwrap_or_default();
            if length > 0 {
                path.push_str(&format!("M{} {}h{length}v1h-{length}z", x + MARGIN, y + MARGIN));
            }
            x += length + 1;
        }
    }
    Some(QrCode { size: u32::try_from(code.size() + 2 * MARGIN).unwrap_or_default(), path })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_dark_square_is_in_the_path_once() {
        let text = "https://page.example/#u=https://agent.example.com&version=0.3";
        let code = qr_code(text).unwrap();
        let bare = Code::encode_text(text, QrCodeEcc::Low).unwrap();
        assert_eq!(code.size as i32, bare.size() + 8);
        let mut drawn = Vec::new();
        for piece in code.path.split('M').skip(1) {
            let numbers: Vec<i32> =
                piece.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse().ok()).collect();
            let [x, y, length, ..] = numbers[..] else { panic!("{piece}") };
            drawn.extend((x..x + length).map(|x| (x - MARGIN, y - MARGIN)));
        }
        let all = (0..bare.size()).flat_map(|y| (0..bare.size()).map(move |x| (x, y)));
        let dark: Vec<_> = all.filter(|(x, y)| bare.get_module(*x, *y)).collect();
        assert_eq!(drawn, dark);
    }

    #[test]
    fn what_is_too_long_has_no_code() {
        assert_eq!(qr_code(&"x".repeat(5_000)), None);
    }
}
