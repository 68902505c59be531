-- Returns the LIKE pattern of a template: white space as one blank, placeholders as anything; '' when too little is
-- left by which to recognise a text.
create or replace function app.text_pattern(p_template text) returns text
  language sql immutable
  as $$
    select case
      when length(regexp_replace(p_template, '\{\{[^{}]*\}\}|\s', '', 'g')) < 4 then ''
      else regexp_replace(
        replace(
          replace(replace(btrim(regexp_replace(p_template, '\s+', ' ', 'g')), '\', '\\'), '%', '\%'),
          '_',
          '\_'
        ),
        '\{\{[^{}]*\}\}',
        '%',
        'g'
      )
    end
  $$;

grant execute on function app.text_pattern(text) to outrider_app, outrider_definer, outrider_executor;
