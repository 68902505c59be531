import { BUDGET_ACTIONS } from '../../domain/actions.ts';
import type { Tx } from '../../postgres/database.ts';
import { IS_SYNCED, unreadFor } from '../runs/wake.ts';

/** One figure of all workspaces together: what is counted, of which kind (action, channel, scope …), how much. */
export interface FleetFigure {
  name: FleetFigureName;
  label: string;
  value: number;
}
export type FleetFigureName =
  | 'deadLetters'
  | 'unknownSends'
  | 'reviewPending'
  | 'reviewOldest'
  | 'budgetLimit'
  | 'budgetUsed'
  /** Budgets of which more is used today than their day has. */
  | 'budgetOver'
  | 'morningLimit'
  | 'morningUsed'
  | 'credits'
  | 'creditsLow'
  | 'freezes'
  | 'accounts'
  | 'unread'
  | 'schedulesLate'
  | 'schedulesFailing'
  | 'schedulesLost'
  | 'actionsOpen'
  | 'postsFailed'
  | 'signalAgents'
  | 'sourcesFailing';

/** An account that is due, or whose rounds of sync fail, for longer (product ms) is not being read. */
export const UNREAD_MS = 30 * 60_000;

/** An active agent that for so long (product ms) enqueued nobody, in some runs, finds nobody. */
const FINDS_NOBODY_MS = 7 * 86_400_000;
const SOME_RUNS = 3;
/** Looks in a row that failed, after which a source is failing: then it is looked at once a day. */
const SOME_FAULTS = 3;

/** Kinds are few (actions, channels, states); more would be a fault, and metrics must stay bounded. */
const MAX_FIGURES = 200;

/**
 * Counts over partial indexes and over small tables (accounts, balances), one round trip. Platform transactions only.
 * @param now epoch ms, product time; ages are in seconds of it
 */
export function readFleet(tx: Tx, now: number): Promise<FleetFigure[]> {
  return tx.named<FleetFigure>('fleet_figures', FLEET, [now, MAX_FIGURES, BUDGET_ACTIONS]);
}

/**
 * What an account may do follows from its tier, settings, ramp and health, as the tools tell it: a row of `account_budget` is made
 * when an action is first done. A budget row of an older date than the account's present day, in its own timezone, has used nothing today. An account of which
 * no workspace is left stays as it was when it was given up: nobody waits for it.
 */
const FLEET = `with linked as (
                 select distinct l.account_id
                 from account_link l
                 join workspace w on w.id = l.workspace_id
                 where w.deleted_at is null
               ),
               account as (
                 select
                   a.*,
                   local.time::date as today,
                   extract(hour from local.time) < 12 as morning
                 from network_account a
                 join linked l on l.account_id = a.id
                 cross join lateral (select to_timestamp($1 / 1000.0) at time zone a.timezone as time) local
               ),
               -- Most accounts are alike: a limit is reckoned once for all of them.
               alike as (
                 select
                   tier,
                   kind,
                   limits,
                   ramp_enabled,
                   ramp_days,
                   ramp_start_share,
                   case
                     when not ramp_enabled or first_send_at is null then 0
                     else least(ramp_days, today - app.local_date(first_send_at, timezone))
                   end as days,
                   health,
                   pacing -> 'weekendFactor' as weekend_factor,
                   today,
                   morning,
                   count(*) as accounts
                 from account
                 group by 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11
               ),
               allowed as (
                 select action, k.accounts * weekend.day as units, k.morning
                 from alike k
                 cross join unnest($3::text[]) as action
                 cross join lateral app.default_budget(k.tier, action) base
                 cross join lateral app.scaled_limit(
                   base.day,
                   base.week,
                   action,
                   k.limits,
                   k.ramp_enabled,
                   k.ramp_days,
                   k.ramp_start_share,
                   k.days,
                   k.health
                 ) full_day
                 cross join lateral app.weekend_limit(
                   full_day.day,
                   k.today,
                   jsonb_build_object('weekendFactor', k.weekend_factor)
                 ) weekend
                 where (k.kind = 'mail') = (action = 'mail')
               ),
               budget as (
                 select
                   b.action,
                   case when b.head_date >= a.today then b.used[1] else 0 end as used,
                   b.limit_day,
                   a.morning
                 from account_budget b
                 join account a on a.id = b.account_id
               )
               select name, label, value::float8 as value
               from (
                 select 'deadLetters' as name, action as label, count(*) as value
                 from send
                 where dead_letter_state = 'open'
                 group by action
                 union all
                 select 'deadLetters', node_type, count(*)
                 from node_call
                 where dead_letter_state = 'open'
                 group by node_type
                 union all
                 select 'unknownSends', action, count(*)
                 from open_send w
                 join send s on s.id = w.send_id
                 where state = 'unknown'
                   and not maybe
                   and dead_letter_state is distinct from 'discarded'
                 group by action
                 union all
                 select 'reviewPending', channel, count(*)
                 from review_item
                 where state = 'pending'
                 group by channel
                 union all
                 select 'reviewOldest', channel, greatest(0, ($1 - min(created_at)) / 1000.0)
                 from review_item
                 where state = 'pending'
                 group by channel
                 union all
                 select 'budgetLimit', action, sum(units)
                 from allowed
                 group by action
                 union all
                 select 'budgetUsed', action, sum(used)
                 from budget
                 group by action
                 union all
                 select 'budgetOver', action, count(*)
                 from budget
                 where limit_day >= 0 and used > limit_day
                 group by action
                 union all
                 select
                   'morningLimit',
                   action,
                   coalesce(sum(units) filter (where morning), 0)
                 from allowed
                 group by action
                 union all
                 select
                   'morningUsed',
                   action,
                   coalesce(sum(used) filter (where morning), 0)
                 from budget
                 group by action
                 union all
                 select 'credits', 'available', coalesce(sum(balance - held), 0)
                 from credit_balance
                 union all
                 select 'credits', 'held', coalesce(sum(held), 0)
                 from credit_balance
                 union all
                 select 'creditsLow', 'low', count(*)
                 from credit_balance b
                 join workspace w on w.id = b.workspace_id
                 where w.deleted_at is null
                   and b.balance - b.held < app.credits_low_of(w.limits)
                   and exists (select 1 from credit_entry e where e.workspace_id = b.workspace_id)
                 union all
                 select 'creditsLow', 'empty', count(*)
                 from credit_balance b
                 join workspace w on w.id = b.workspace_id
                 where w.deleted_at is null
                   and b.balance = b.held
                   and exists (select 1 from credit_entry e where e.workspace_id = b.workspace_id)
                 union all
                 select 'freezes', scope, count(*)
                 from send_freeze
                 where until is null or until > $1
                 group by scope
                 union all
                 select 'accounts', status, count(*)
                 from network_account a
                 join linked l on l.account_id = a.id
                 group by status
                 union all
                 select 'unread', a.kind, count(*)
                 from account_wake k
                 join network_account a on a.id = k.account_id
                 where ${unreadFor('$1')} > ${UNREAD_MS} and ${IS_SYNCED}
                 group by a.kind
                 union all
                 select 'schedulesLate', x.kind, max($1 - x.at) / 1000.0
                 from (
                   select s.kind, s.workspace_id, s.next_at as at
                   from schedule s
                   where s.enabled and s.deleted_at is null and s.next_at < $1
                   union all
                   select s.kind, r.workspace_id, r.due_at
                   from scheduled_run r
                   join schedule s on s.id = r.schedule_id
                   where r.state in ('queued', 'running') and r.due_at < $1
                 ) x
                 where app.is_running(x.workspace_id)
                 group by x.kind
                 union all
                 select c.name, x.kind, c.value
                 from (
                   select
                     s.kind,
                     count(*) filter (where r.state = 'failed' and r.error not like 'lost%') as failing,
                     count(*) filter (where r.state = 'failed' and r.error like 'lost%') as lost
                   from schedule s
                   cross join lateral (
                     select o.state, o.error
                     from scheduled_run o
                     where o.schedule_id = s.id and o.finished_at is not null
                     order by o.scheduled_for desc limit 1
                   ) r
                   where s.enabled and s.deleted_at is null
                   group by s.kind
                 ) x
                 cross join lateral (
                   values ('schedulesFailing', x.failing), ('schedulesLost', x.lost)
                 ) c (name, value)
                 union all
                 select 'actionsOpen', action, count(*)
                 from action
                 where ended_at is null
                 group by action
                 union all
                 select 'postsFailed', left(failure ->> 'code', 40), count(*)
                 from content_post
                 where failure is not null
                 group by 2
                 union all
                 select 'signalAgents', c.state, count(*)
                 from signal_agent a
                 join schedule s on s.id = a.id and s.deleted_at is null
                 cross join lateral (
                   select case when s.enabled then 'active' else 'paused' end as state
                   union all
                   select 'finds_nobody'
                   where s.enabled
                     and a.updated_at < $1 - ${FINDS_NOBODY_MS}
                     and not exists (
                       select 1
                       from signal_agent_day d
                       where d.agent_id = a.id
                         and d.day >= (to_timestamp(($1 - ${FINDS_NOBODY_MS}) / 1000.0) at time zone 'UTC')::date
                         and d.leads > 0
                     )
                     and (
                       select count(*)
                       from (
                         select 1
                         from scheduled_run o
                         where o.schedule_id = a.id
                           and o.scheduled_for >= $1 - ${FINDS_NOBODY_MS}
                           and o.finished_at is not null
                         limit ${SOME_RUNS}
                       ) x
                     ) = ${SOME_RUNS}
                 ) c
                 group by c.state
                 union all
                 select 'sourcesFailing', f.kind, count(*)
                 from signal_source f
                 join schedule s on s.id = f.agent_id and s.enabled and s.deleted_at is null
                 where f.faults >= ${SOME_FAULTS}
                 group by f.kind
               ) figures
               limit $2`;
