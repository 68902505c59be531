-- Returns a mail address whose letters are one form of what people type (NFKC), its host in the letters of DNS; the
-- address itself where it has plain letters.
create or replace function app.dns_mail(p_mail text) returns text
  language sql immutable parallel safe
  as $$
    select case
      when p_mail !~ '[^\x01-\x7f]' then p_mail
      else split_part(lower(normalize(p_mail, NFKC)), '@', 1)
        || '@' || app.dns_host(split_part(lower(normalize(p_mail, NFKC)), '@', 2))
    end
  $$;

grant execute on function app.dns_mail(text) to outrider_app, outrider_definer, outrider_executor;
