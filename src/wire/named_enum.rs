//! Enums whose members have names: in tables, in files and on the command line.

/// Declares such an enum, each member beside its name, with `ALL` members in their order and `as_str` for the name of one. Where each has a
/// title as well, `title` is that.
macro_rules! named_enum {
    ($(#[$of_enum:meta])* pub enum $enum:ident { $($(#[$of_member:meta])* $member:ident = $name:literal,)+ }) => {
        $(#[$of_enum])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $enum { $($(#[$of_member])* $member,)+ }

        impl $enum {
            /// All of them, in order.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$member),+];

            /// Its name.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$member => $name,)+ }
            }
        }
    };
    ($(#[$of_enum:meta])* pub enum $enum:ident {
        $($(#[$of_member:meta])* $member:ident = $name:literal titled $title:literal,)+
    }) => {
        named_enum! { $(#[$of_enum])* pub enum $enum { $($(#[$of_member])* #[doc = $title] $member = $name,)+ } }

        impl $enum {
            /// Its name for people.
            #[must_use]
            pub const fn title(self) -> &'static str {
                match self { $(Self::$member => $title,)+ }
            }
        }
    };
}

pub(crate) use named_enum;
