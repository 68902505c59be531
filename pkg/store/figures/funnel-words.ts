/** Actions that ask for a connection, as a list of SQL. */
export const REQUESTS = `('connection_request', 'connection_request_with_note')`;

/** Of a line `e` of the history: an answer of the person, as splits count it; a notice of absence is none. */
export const ANSWERED = `(e.kind = 'reply.received' and app.is_answer(e.data ->> 'class'))`;

/** What a funnel counts of the history. */
export const HEARD = `('connection.accepted', 'reply.received', 'mail.bounced')`;
