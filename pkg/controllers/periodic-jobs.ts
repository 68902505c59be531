import type { PeriodicHost, PeriodicJob } from '../base/periodic.ts';
import { answerEndsJob } from './answer-ends.ts';
import { contentClocksJob } from './content-clocks.ts';
import type { OperatorContext } from './context.ts';
import { creditUpkeepJob } from './credit-upkeep.ts';
import { eventDeliveriesJob } from './event-deliveries.ts';
import { eventNumbersJob } from './event-numbers.ts';
import { executorRoleJob } from './executor-role.ts';
import { fleetGaugesJob } from './fleet-gauges.ts';
import { notificationsJob, notificationUpkeepJob } from './notifications/notifications-job.ts';
import { deletedRetentionJob } from './retention/deleted-retention.ts';
import { eventRetentionJob } from './retention/event-retention.ts';
import { workspaceDeletionsJob } from './retention/workspace-deletions.ts';
import { signalEndsJob } from './signal-ends.ts';
import { systemHealthJob } from './system-health.ts';
import { timedEventsJob } from './timed-events.ts';

/** What the leader does again and again beside reconciling; a new one is its file and a line here. */
export function periodicJobs(context: OperatorContext): PeriodicJob[] {
  return [
    eventNumbersJob(context),
    timedEventsJob(context),
    notificationsJob(context),
    notificationUpkeepJob(context),
    eventDeliveriesJob(context),
    eventRetentionJob(context),
    deletedRetentionJob(context),
    workspaceDeletionsJob(context),
    creditUpkeepJob(context),
    fleetGaugesJob(context),
    executorRoleJob(context),
    systemHealthJob(context),
    signalEndsJob(context),
    answerEndsJob(context),
    contentClocksJob(context),
  ];
}

/** What the operator's periodic jobs run with. */
export function periodicHostOf({ clocks, runtime, metrics }: OperatorContext): PeriodicHost {
  return { clock: clocks.real, random: runtime.random, log: runtime.log, observer: metrics.periodic };
}
