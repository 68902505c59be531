-- Returns the subject of a mail without what programs put before it (Re:, AW:, [EXT] …), white space as one blank, as
-- plainSubject of the domain has it.
create or replace function app.plain_subject(p_subject text) returns text
  language sql immutable cost 500
  as $$
    select trim(
      regexp_replace(
        regexp_replace(
          normalize(p_subject, NFC),
          '^(\s*(((r[eé]|r|aw|sv|vs|antw|fwd?|wg|tr|rif|res|enc|rv|odp|pd|ynt|回复|回覆|答复|转发)'
          '(\[[0-9]+\])?|automatic reply|auto(matic)?[- ]reply|automatische antwort|r[eé]ponse automatique'
          '|respuesta autom[aá]tica|risposta automatica|resposta autom[aá]tica)\s*[:：]'
          '|\[(ext|extern|external|externe)\]))+',
          '',
          'i'
        ),
        '\s+',
        ' ',
        'g'
      )
    )
  $$;

alter function app.plain_subject(text) owner to outrider_definer;
revoke execute on function app.plain_subject(text) from public;
