-- Returns a mail address with its host in the letters that people type (app.typed_host); the address itself where its
-- host has no others.
create or replace function app.typed_mail(p_mail text) returns text
  language sql immutable parallel safe
  as $$
    select case
      when p_mail !~* '@.*xn--' then p_mail
      else split_part(p_mail, '@', 1) || '@' || app.typed_host(lower(split_part(p_mail, '@', 2)))
    end
  $$;

grant execute on function app.typed_mail(text) to outrider_app, outrider_definer, outrider_executor;
