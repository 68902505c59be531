import { type RisingTopic, risingTopics, type TermWeeks } from '../../domain/watches/rising-topics.ts';
import type { Tx } from '../../postgres/database.ts';

const WEEK_MS = 7 * 86_400_000;
/** Terms of a watch that are compared: those that most authors wrote this week. */
const MOST_TERMS = 200;

/** Topics that rise, by watch. @param now epoch ms, product time */
export async function readTopics(
  tx: Tx,
  watchIds: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, RisingTopic[]>> {
  if (watchIds.length === 0) return new Map();
  const rows = await tx.rows<{ id: string; all: number[]; terms: TermWeeks[] }>(
    `with post as (
       select f.watch_id, f.author, f.terms, (($2::bigint - f.at) / $3::bigint)::int as week
       from watch_finding f
       where f.watch_id = any ($1::uuid[]) and f.kind = 'post' and f.author <> ''
         and f.at <= $2 and f.at > $2::bigint - 5 * $3::bigint
     ),
     total as (
       select watch_id, week, count(distinct author)::int as authors from post group by watch_id, week
     ),
     term as (
       select p.watch_id, t.term, p.week, count(distinct p.author)::int as authors
       from post p
       cross join lateral unnest(p.terms) t (term)
       group by p.watch_id, t.term, p.week
     ),
     chosen as (
       select x.watch_id, x.term
       from (
         select t.*, row_number() over (partition by t.watch_id order by t.authors desc, t.term) as place
         from term t
         where t.week = 0
       ) x
       where x.place <= ${MOST_TERMS}
     )
     select w.id,
       array(
         select coalesce((select a.authors from total a where a.watch_id = w.id and a.week = n), 0)
         from generate_series(0, 4) n
         order by n
       ) as all,
       coalesce(
         (select jsonb_agg(jsonb_build_object(
            'term', c.term,
            'authors', array(
              select coalesce(
                (select t.authors from term t where t.watch_id = w.id and t.term = c.term and t.week = n),
                0
              )
              from generate_series(0, 4) n
              order by n
            )
          ))
          from chosen c
          where c.watch_id = w.id),
         '[]'
       ) as terms
     from unnest($1::uuid[]) w (id)
     where exists (select 1 from post p where p.watch_id = w.id)`,
    [watchIds, now, WEEK_MS],
  );
  return new Map(rows.map((row) => [row.id, risingTopics(row.terms, row.all)]));
}
