-- Returns what these leads of the workspace or the pool are compared with exclusions by; of the kinds that cost time
-- only those in p_kinds. An exclusion of a company meets who works there by its name, by the company that the lead
-- belongs to, and by the domains that are known to be a company's. It asks for no right: only functions that have asked
-- call it.
create or replace function app.exclusion_forms(p_workspace text, p_leads uuid[], p_kinds text[])
  returns setof app.exclusion_form
  language sql stable security definer
  set search_path = outrider, app, pg_catalog
  -- planner: by_hash
  as $$
    with w as materialized (
      select
        app.person_scope(p_workspace) as scope,
        'mail' = any (p_kinds) as mail,
        'domain' = any (p_kinds) as domain,
        'company' = any (p_kinds) as company,
        'name_company' = any (p_kinds) as name_company,
        'keyword' = any (p_kinds) as keyword
    ),
    l as materialized (
      select
        x.id,
        x.email,
        x.profile_id,
        x.full_name,
        x.company,
        x.company_key,
        x.title,
        x.headline,
        c.company_key as company_of,
        c.name as company_name,
        case
          when x.workspace_id is not null then x.person_id
          else coalesce(
            (select m.person_id from pool_person m where m.lead_id = x.id and m.scope = w.scope),
            (select p.person_id from app.persons_for(p_workspace, array[x.id]) p)
          )
        end as person_id,
        case
          when w.domain or w.company
            then app.domains_above(h.host)
              || case when x.company_domain not in ('', h.host) then app.domains_above(lower(x.company_domain)) end
              || case when c.domain not in ('', h.host, x.company_domain) then app.domains_above(c.domain) end
        end as domains
      from lead x
      cross join lateral (
        select coalesce(
          case
            when x.email ~ '[^\x01-\x7f]' then app.dns_host(split_part(x.email, '@', 2))
            else split_part(lower(x.email), '@', 2)
          end,
          ''
        ) as host
        offset 0
      ) h
      cross join w
      left join company c on (w.domain or w.company) and c.id = x.company_id
      where x.id = any (p_leads) and (x.workspace_id is null or x.workspace_id = p_workspace)
    )
    select
      l.id,
      array[l.person_id],
      l.email,
      case
        when w.mail and l.email is not null
          then array[lower(l.email), app.mail_identity(l.email)] || app.mail_hashes(l.email)
      end,
      l.profile_id,
      l.domains,
      case
        when w.company
          then array[nullif(l.company_key, ''), nullif(l.company_of, '')]
            || app.spellings_of(l.company, l.company_key) || app.spellings_of(l.company_name, l.company_of)
            || array(select k from app.companies_at(p_workspace, l.domains) k)
      end,
      case
        when w.name_company
          then (
            select string_agg(distinct n || '@' || k, '|')
            from unnest(app.person_spellings(l.full_name)) n
            cross join unnest(app.spellings_of(l.company, l.company_key)) k
          )
      end,
      -- Without legal forms too: so keywords were kept before.
      case
        when w.keyword
          then (
            select ' ' || string_agg(distinct k, ' | ') || ' '
            from unnest(array[l.company, l.title, l.headline]) t
            cross join unnest(array[app.keyword_words(t), app.company_key(t)]) k
          )
      end
    from l
    cross join w
  $$;

alter function app.exclusion_forms(text, uuid[], text[]) owner to outrider_definer;
revoke execute on function app.exclusion_forms(text, uuid[], text[]) from public;
