-- What a text holds that a pattern of the subject may find, for LIKE in lower case: most rows are passed over without
-- the pattern.
alter type app.erasure_subject add attribute needles text[];
