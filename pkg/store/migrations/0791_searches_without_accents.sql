-- Searches find words with accents without them, and the other way round. What a search looks at becomes a column that
-- a trigger keeps, as it was: no table is rewritten, and only rows with letters beyond ASCII are read into it again. A
-- program of the version before goes on with it. Functions are here as they were when they came; later ones are in the
-- files of their names.
-- A text in the two ways in which people leave accents out, one after the other: `Müller` is `muller mueller`. '' for a
-- text of ASCII letters, which needs none. Its words stand beside those of the text in what searches look at.
create or replace function app.folded(p_text text) returns text
  language sql immutable parallel safe
  as $$
    with x as (select normalize(p_text, NFC) as t),
    long as (select replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(t,
      'ä', 'ae'),
      'Ä', 'ae'),
      'ö', 'oe'),
      'Ö', 'oe'),
      'ü', 'ue'),
      'Ü', 'ue'),
      'å', 'aa'),
      'Å', 'aa'),
      'ø', 'oe'),
      'Ø', 'oe'),
      'æ', 'ae'),
      'Æ', 'ae') as t from x),
    spelt as (select x.t || ' ' || long.t as t from x, long)
    select case when p_text ~ '[^\u0001-\u007f]' then lower(normalize(regexp_replace(normalize(
      replace(replace(replace(replace(replace(replace(replace(replace(translate(t, 'øØłŁđĐðÐıς', 'oollddddiσ'),
      'ß', 'ss'),
      'ẞ', 'ss'),
      'æ', 'ae'),
      'Æ', 'ae'),
      'þ', 'th'),
      'Þ', 'th'),
      'œ', 'oe'),
      'Œ', 'oe'),
      NFKD), '[\u0300-\u036f]', '', 'g'), NFC)) else '' end
    from spelt
  $$;

grant execute on function app.folded(text) to outrider_app, outrider_definer, outrider_executor;

-- Trigger of lead: keeps the words that searches look at, those with accents without them too (app.folded).
create or replace function app.keep_lead_search() returns trigger
  language plpgsql
  set search_path = outrider, app, pg_catalog
  as $$
  declare words text := new.full_name || ' ' || new.title || ' ' || new.company || ' ' || new.headline;
  begin
    new.search := to_tsvector('simple', words || ' ' || app.folded(words));
    return new;
  end $$;

revoke execute on function app.keep_lead_search() from public;

-- Trigger of company: keeps the words that searches look at, those with accents without them too (app.folded).
create or replace function app.keep_company_search() returns trigger
  language plpgsql
  set search_path = outrider, app, pg_catalog
  as $$
  declare words text := new.name || ' ' || new.domain;
  begin
    new.search := to_tsvector('simple', words || ' ' || app.folded(words));
    return new;
  end $$;

revoke execute on function app.keep_company_search() from public;

alter table outrider.lead alter column search drop expression;
alter table outrider.company alter column search drop expression;

create trigger lead_search before insert or update of full_name, title, company, headline on outrider.lead
  for each row execute function app.keep_lead_search();
create trigger company_search before insert or update of name, domain on outrider.company
  for each row execute function app.keep_company_search();

-- The trigger fires for the columns that it names: setting one to itself reads the words again, and nothing else
-- changes.
update outrider.lead
set headline = headline
where (full_name || title || company || headline) ~ '[^\u0001-\u007f]';
update outrider.company set name = name where (name || domain) ~ '[^\u0001-\u007f]';
