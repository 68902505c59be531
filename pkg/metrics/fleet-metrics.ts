import { Gauge, type Registry } from 'prom-client';

/** What only the database knows of all workspaces together; the leader exports it, a standby has no such series. */
export type FleetMetrics = ReturnType<typeof createFleetMetrics>;

/** Declares them, once per registry. */
export function createFleetMetrics(registry: Registry) {
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Gauge<L>({ name: `outrider_${name}`, help, labelNames, registers: [registry] });
  return {
    measuredAt: gauge('fleet_measured_timestamp_seconds', 'When the figures of the fleet were read last, real time.', [
      'source',
    ]),
    deadLetters: gauge('dead_letters_open', 'Sends and pushes of unknown outcome that a person has to decide about.', [
      'action',
    ]),
    unknownSends: gauge('sends_unknown', 'Sends of all workspaces whose outcome is not known yet.', ['action']),
    reviewPending: gauge('review_queue_items', 'Texts that wait for a person, by channel.', ['channel']),
    reviewOldest: gauge('review_queue_oldest_age_seconds', 'Age of the oldest text that waits, in product time.', [
      'channel',
    ]),
    budgetLimit: gauge(
      'budget_limit',
      'Units that all linked accounts together may use on their present day, as svc_get_network_account_budgets tells them.',
      ['action'],
    ),
    budgetUsed: gauge('budget_used', 'Units that all linked accounts together used on their present day.', ['action']),
    morningLimit: gauge('budget_morning_limit', 'Units per day of the linked accounts for whom it is before noon.', [
      'action',
    ]),
    morningUsed: gauge('budget_morning_used', 'Units that accounts for whom it is before noon used today.', ['action']),
    credits: gauge('credits', 'Credits of all workspaces, by state: available, held.', ['state']),
    creditsLow: gauge(
      'workspaces_low_on_credits',
      'Workspaces that had credits and of which events say that they are low (less than a tenth of the monthly ones, or 100), or that have none (empty).',
      ['state'],
    ),
    freezes: gauge('send_freezes', 'Freezes of sends in force, by scope.', ['scope']),
    accounts: gauge('network_accounts', 'Accounts that are linked to a workspace, by status.', ['status']),
    unread: gauge(
      'accounts_unread',
      'Accounts whose replies have not been read for half an hour longer than they should, product time, by kind.',
      ['kind'],
    ),
    schedulesLate: gauge(
      'schedules_late_seconds',
      'Product time for which the start of a schedule, or the next step of its run, has been due in workspaces at work: the longest, by kind.',
      ['kind'],
    ),
    schedulesFailing: gauge('schedules_failing', 'Enabled schedules whose last run failed by itself, by kind.', [
      'kind',
    ]),
    schedulesLost: gauge('schedules_lost', 'Enabled schedules whose last run ended with its executors, by kind.', [
      'kind',
    ]),
    postsFailed: gauge('posts_failed', 'Posts of which a part did not go out, or not whole, by code.', ['code']),
    signalAgents: gauge(
      'signal_agents',
      'Signal agents by state: active, paused, and of the active those that enqueued nobody for a week of product time, in three runs or more (finds_nobody).',
      ['state'],
    ),
    sourcesFailing: gauge(
      'signal_sources_failing',
      'Feeds and sites of active signal agents that could not be read three times in a row or more, by kind.',
      ['kind'],
    ),
    actionsOpen: gauge('actions_open', 'Actions without a run that wait or are under way.', ['action']),
  };
}
