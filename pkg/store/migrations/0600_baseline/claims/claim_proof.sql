-- What a session has proven, and in which transaction (app.enter): the value that a session's last setval left is its own, and nobody but
-- the definer may set it. What others leave in the sequence itself is never read.
create unlogged sequence app.claim_proof minvalue -9223372036854775808 maxvalue 9223372036854775807;
alter sequence app.claim_proof owner to outrider_definer;
revoke all on sequence app.claim_proof from public, outrider_app, outrider_executor;
