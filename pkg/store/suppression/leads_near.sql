-- Returns those of these leads that exclusions by these values could meet: a cheap sieve that misses nobody, so that
-- the forms (app.exclusion_forms) of the others need not be made. It asks for no right: only functions that have
-- asked call it.
create or replace function app.leads_near(p_leads uuid[], p_kinds text[], p_values text[]) returns uuid[]
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_size
  as $$
    with g as materialized (select * from unnest(p_kinds, p_values) as u (kind, value)),
    companies as materialized (
      select c.id, c.domain
      from g
      join company c on c.company_key = g.value
      where g.kind = 'company'
    ),
    k as materialized (
      select
        array(select distinct value from g where kind = 'profile') as profiles,
        array(select distinct value from g where kind = 'company')
          || array(select distinct split_part(value, '@', 2) from g where kind = 'name_company') as companies,
        array(select id from companies) as company_ids,
        -- The last two labels of each domain.
        array(
          select distinct substring(x.host from '[^.]+\.[^.]+$')
          from (
            select value as host from g where kind = 'domain'
            union all
            select domain from companies
          ) x
          where x.host <> ''
        ) as tails,
        array(select distinct split_part(value, '@', 2) from g where kind = 'mail') as hosts,
        -- With which every form of a company's name begins: few have one of them.
        array(
          select distinct left(case kind when 'company' then value else split_part(value, '@', 2) end, 1)
          from g
          where kind in ('company', 'name_company')
        ) as initials,
        exists (select 1 from g where kind = 'keyword') as keyword
    )
    select array_agg(l.id)
    from lead l
    left join company c on c.id = l.company_id
    where l.id = any (p_leads)
      and l.erased_at is null
      and (
        (select keyword from k)
        or l.profile_id = any ((select profiles from k)::text[])
        or l.company_key = any ((select companies from k)::text[])
        or c.company_key = any ((select companies from k)::text[])
        or l.company_id = any ((select company_ids from k)::uuid[])
        or l.email ~ '[^\x01-\x7f]'
        or replace(split_part(lower(l.email), '@', 2), 'googlemail.', 'gmail.') = any ((select hosts from k)::text[])
        or substring(split_part(lower(l.email), '@', 2) from '[^.]+\.[^.]+$') = any ((select tails from k)::text[])
        or substring(lower(l.company_domain) from '[^.]+\.[^.]+$') = any ((select tails from k)::text[])
        or substring(c.domain from '[^.]+\.[^.]+$') = any ((select tails from k)::text[])
        or (left(l.company_key, 1) = any ((select initials from k)::text[]) or l.company_key ~ '^[^\x01-\x7f]')
          and app.spellings_of(l.company, l.company_key) && (select companies from k)::text[]
        or (left(c.company_key, 1) = any ((select initials from k)::text[]) or c.company_key ~ '^[^\x01-\x7f]')
          and app.spellings_of(c.name, c.company_key) && (select companies from k)::text[]
      )
  $$;

alter function app.leads_near(uuid[], text[], text[]) owner to outrider_definer;
revoke execute on function app.leads_near(uuid[], text[], text[]) from public;
