-- Answers about which nobody has decided, in the order in which their time is over.
create index review_answers_waiting on outrider.review_item (expires_at)
  where conversation_id is not null and state = 'pending';
