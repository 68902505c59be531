import { Counter, Gauge, type Registry } from 'prom-client';

/** Metrics of the platform's own mails. No label names an address. */
export type MailMetrics = ReturnType<typeof createMailMetrics>;

/** Declares them on a registry. */
export function createMailMetrics(registry: Registry) {
  const registers = [registry];
  return {
    mails: new Counter({
      name: 'outrider_system_mails_total',
      help: 'Attempts to send a mail of the platform by kind and result: sent, retried, failed, expired, or unknown, which means that its answer was lost and that it is not sent again.',
      labelNames: ['kind', 'result'],
      registers,
    }),
    waiting: new Gauge({
      name: 'outrider_system_mails_waiting',
      help: 'Mails of the platform that did not leave yet.',
      registers,
    }),
    oldest: new Gauge({
      name: 'outrider_system_mails_oldest_seconds',
      help: 'Real time for which the oldest mail of the platform has been due.',
      registers,
    }),
  };
}

const RESULTS = ['sent', 'retried', 'failed', 'expired', 'unknown'];

/** Series begin at 0, so that the first failure is an increase and not a series out of nothing. */
export function openMailSeries(metrics: MailMetrics, kinds: Iterable<string>): void {
  for (const kind of kinds) for (const result of RESULTS) metrics.mails.inc({ kind, result }, 0);
}
