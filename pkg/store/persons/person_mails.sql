-- Returns the hashes of the mail address by which the person of a lead is known (app.mail_hashes). {} for a mailbox
-- that several people read (app.is_role_mail) where the lead has a profile (p_profile, null: none), which says more.
create or replace function app.person_mails(p_mail text, p_profile text) returns text[]
  language sql immutable
  as $$
    select case
      when p_profile is not null and app.is_role_mail(p_mail) then '{}'
      else app.mail_hashes(p_mail)
    end
  $$;
