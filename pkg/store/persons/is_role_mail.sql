-- Whether a mailbox belongs to a function (info@, sales@), which proves nobody. Twin: isRoleMail of the domain.
create or replace function app.is_role_mail(p_mail text) returns boolean
  language sql immutable
  as $$ select lower(split_part(split_part(trim(p_mail), '@', 1), '+', 1)) = any (array[
      'info', 'office', 'sales', 'contact', 'kontakt', 'hello', 'hallo', 'support', 'admin', 'marketing', 'hr', 'jobs',
      'team', 'service', 'mail', 'post', 'webmaster', 'press', 'presse', 'billing', 'accounting', 'buchhaltung', 'invoice',
      'career', 'careers', 'help', 'noreply', 'no-reply', 'vertrieb', 'einkauf', 'empfang', 'reception', 'welcome', 'news',
      'newsletter']) $$;
