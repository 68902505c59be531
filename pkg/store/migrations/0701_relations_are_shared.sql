-- For an account, what is known of an id of its network is known of everybody who has it (app.share_relation).
create or replace function app.share_relation() returns trigger
  language plpgsql
  as $$ begin return new; end $$;

create trigger relation_shared before insert or update of provider_id on outrider.relation
  for each row execute function app.share_relation();
create trigger relation_spread after insert or update of state, invitation_id, requested_at on outrider.relation
  for each row when (new.provider_id <> '' and new.state <> 'connected') execute function app.share_relation();
