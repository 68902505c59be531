-- A draft that answers in a conversation and stands in place of no step of its run: where it goes, and when the message
-- that it answers was written (epoch ms, product time). Both null: the draft of a step.
alter table outrider.review_item add column conversation_id uuid;
alter table outrider.review_item add column answers_at bigint;

-- A message is answered by one draft of each workspace whose account it came to.
create unique index review_answers on outrider.review_item (workspace_id, conversation_id, answers_at)
  where conversation_id is not null;

-- Drafts of answers that are under way or done, by the run that heard the reply.
create index schedule_replies on outrider.schedule (workspace_id, (settings ->> 'runId')) where kind = 'agent_reply';
