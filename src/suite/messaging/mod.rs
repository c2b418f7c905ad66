//! Sending messages and waiting for the answer.

crate::area! {
    /// One message, and its task read back.
    send,
    /// A message that is answered with a message.
    message_only,
    /// Ids that the client brings.
    ids,
    /// Parts of every kind.
    data_types,
    /// A second message in the same context, with all that a message may carry.
    context,
}
