-- What 0.2.0 left for executors of 0.1.0 that ran during the upgrade: sends are judged by app.judge_sends alone,
-- actions are classed by app.is_contact, and days of the contact policy have their defaults in app.policy_days(jsonb,
-- text).
drop function if exists app.claim_in_turn(bigint, jsonb);
drop function if exists app.take_wishes(text, bigint, app.send_wish[]);
drop type if exists app.send_wish;
drop function if exists app.is_heavy(text);
drop function if exists app.policy_days(jsonb, text, int);
