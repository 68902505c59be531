import type { ServerResponse } from 'node:http';
import { sleepReal } from '../../pkg/base/clock.ts';
import { messageOf } from '../../pkg/base/errors.ts';
import type { Logger } from '../../pkg/base/log.ts';
import type { Fault, Faults } from './faults.ts';
import { type Call, Refusal, type Reply, refusalReply, send } from './http.ts';
import { actionOf, type Route, routeOf } from './routes.ts';
import type { World } from './world.ts';

const DEFAULT_MS = { timeout: 30_000, slow: 1_000, late: 1_000, rate_limit: 60_000 };

export interface ProviderOptions {
  world: World;
  faults: Faults;
  stop: AbortSignal;
  log: Logger;
}

/** Answers one request of the provider's API, with the fault that strikes it. */
export async function serveProvider(
  options: ProviderOptions,
  call: Call,
  response: ServerResponse,
  route: Route = routeOf(call),
): Promise<void> {
  const action = actionOf(route, call);
  const fault = action === null ? undefined : options.faults.strike(action);
  if (!fault) return send(response, perform(options, route, call));
  await serveFault(options, route, call, response, fault);
}

async function serveFault(
  options: ProviderOptions,
  route: Route,
  call: Call,
  response: ServerResponse,
  fault: Fault,
): Promise<void> {
  switch (fault.kind) {
    case 'error':
      return send(response, refusalReply(new Refusal(500, 'unexpected_error', 'injected fault')));
    case 'rate_limit': {
      const refused = refusalReply(new Refusal(429, 'too_many_requests', 'injected fault'));
      return send(response, {
        ...refused,
        retryAfterSeconds: Math.max(1, Math.ceil((fault.ms ?? DEFAULT_MS.rate_limit) / 1_000)),
      });
    }
    case 'timeout':
      await gone(response, fault.ms ?? DEFAULT_MS.timeout, options.stop);
      response.destroy();
      return;
    case 'lost_answer':
      perform(options, route, call);
      response.destroy();
      return;
    case 'slow': {
      const reply = perform(options, route, call);
      await gone(response, fault.ms ?? DEFAULT_MS.slow, options.stop);
      return send(response, reply);
    }
    case 'late':
      response.destroy();
      return performLate(options, route, call, fault.ms ?? DEFAULT_MS.late);
  }
}

/** The caller is gone; the action is done within `ms` and shows in the lists after `ms`. */
async function performLate(options: ProviderOptions, route: Route, call: Call, ms: number): Promise<void> {
  const visibleReal = options.world.real.now() + ms;
  await sleepReal(ms * options.faults.lateShare(), options.stop);
  perform(options, route, { ...call, visibleReal });
}

function perform(options: ProviderOptions, route: Route, call: Call): Reply {
  try {
    return options.world.store.tx(() => route.run(options.world, call));
  } catch (error) {
    if (error instanceof Refusal) return refusalReply(error);
    options.log.error({ reason: messageOf(error), path: route.path }, 'a request failed');
    return refusalReply(new Refusal(500, 'unexpected_error', 'the sandbox failed; see its log'));
  }
}

/** Waits `ms` of real time, or until the caller has gone or the sandbox stops. */
async function gone(response: ServerResponse, ms: number, stop: AbortSignal): Promise<void> {
  const left = new AbortController();
  response.once('close', () => left.abort(new Error('caller left')));
  await sleepReal(ms, AbortSignal.any([stop, left.signal])).catch(() => undefined);
}
