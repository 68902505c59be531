import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Metrics of deliveries of events to webhooks and chats. No label names an endpoint or a workspace. */
export type DeliveryMetrics = ReturnType<typeof createDeliveryMetrics>;

const CHANNELS = ['webhook', 'chat'];
const RESULTS = ['delivered', 'retried', 'failed', 'dropped'];

/** Declares them on a registry; series begin at 0, so that the first failure is an increase and not a series out of nothing. */
export function createDeliveryMetrics(registry: Registry) {
  const registers = [registry];
  const tries = new Counter({
    name: 'outrider_deliveries_total',
    help: 'Tries to deliver an event by channel (webhook, chat) and result: delivered, retried, failed for good, or dropped, which means that nobody may or wants to have it any more.',
    labelNames: ['channel', 'result'],
    registers,
  });
  for (const channel of CHANNELS) for (const result of RESULTS) tries.inc({ channel, result }, 0);
  const duration = new Histogram({
    name: 'outrider_delivery_duration_seconds',
    help: 'Real time of a try to deliver an event, until its answer or the lack of one.',
    labelNames: ['channel'],
    buckets: [0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers,
  });
  for (const channel of CHANNELS) duration.zero({ channel });
  return {
    tries,
    duration,
    inFlight: new Gauge({
      name: 'outrider_deliveries_in_flight',
      help: 'Tries to deliver an event that wait for their answer; 128 at most, 8 of a workspace.',
      registers,
    }),
    waiting: new Gauge({
      name: 'outrider_deliveries_waiting',
      help: 'Events that wait to be delivered to endpoints that are not paused, 100,000 counted at most; the same from each replica.',
      registers,
    }),
    oldest: new Gauge({
      name: 'outrider_deliveries_oldest_seconds',
      help: 'Product time for which the oldest event has been due, of endpoints that may be sent to and refused none of what waits for them; the same from each replica.',
      registers,
    }),
    paused: new Gauge({
      name: 'outrider_endpoints_paused',
      help: 'Webhooks and chats that paused themselves, since they took nothing; the same from each replica.',
      registers,
    }),
  };
}
