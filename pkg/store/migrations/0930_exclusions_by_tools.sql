-- Exclusions of companies and of single signal agents, which tools write, and how a hundred thousand of a workspace are
-- asked for: by kind, and keywords by their first word.
alter table outrider.suppression
  drop constraint suppression_kind_check,
  add constraint suppression_kind_check
    check (kind in ('person', 'mail', 'domain', 'profile', 'name_company', 'keyword', 'company')),
  -- of an exclusion that one signal agent alone keeps to; null: of all
  add column signal_agent_id text;

-- What a lead, or an address without one, is compared with exclusions by. Texts have the form of their kind; null where
-- nobody asks for that kind.
create type app.exclusion_form as (
  -- the lead, or what the caller names its subject by
  ref uuid,
  persons uuid[],
  email text,
  -- the address as it is written, as its mailbox, and their hashes
  mails text[],
  profile text,
  -- of its address and its company, with those above
  domains text[],
  -- app.company_key of the company under its names
  companies text[],
  name_company text,
  -- of company, title and headline, ' | ' between them, a blank before and after
  words text
);

-- Pages of a kind, and whether a workspace has any of it.
create index suppression_kind on outrider.suppression (workspace_id, kind, created_at desc, id desc);
create index suppression_first_word on outrider.suppression (split_part(value, ' ', 1)) where kind = 'keyword';
drop index outrider.suppression_word;
