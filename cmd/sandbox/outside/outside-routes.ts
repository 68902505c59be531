import { ZodError, z } from 'zod';
import { type Call, Refusal, type Reply } from '../http.ts';
import type { Route } from '../routes.ts';
import type { World } from '../world.ts';
import { setReplyOf } from './book.ts';
import { caldav } from './caldav.ts';
import { apollo, dropcontact, hunter, peopleDataLabs } from './enrichment.ts';
import { googleCalendar } from './google-calendar.ts';
import { hook } from './hook.ts';
import { hubspot } from './hubspot.ts';
import { instantly } from './instantly.ts';
import { anthropic, openAi } from './models.ts';
import { pipedrive } from './pipedrive.ts';
import { refusalOfService } from './refusals.ts';
import { salesforce } from './salesforce.ts';
import { site } from './site.ts';

/** Services that are simulated besides the network, each in the wire format of the real one. */
export const SERVICES: Readonly<Record<string, (world: World, call: Call) => Reply>> = {
  openai: openAi,
  anthropic,
  pdl: peopleDataLabs,
  hunter,
  apollo,
  dropcontact,
  caldav,
  google: googleCalendar,
  hubspot,
  instantly,
  pipedrive,
  salesforce,
  hook,
  site,
};

/** Ends of addresses to which a question is posted. */
const ASKS: readonly string[] = ['search', 'list', 'read'];
/** Services of which a GET looks something up; of others it is what is asked for. */
const CRMS: readonly string[] = ['hubspot', 'pipedrive', 'salesforce', 'google'];

/**
 * The service under `/outside/<service>/…`. Faults call it by its name; only
 * what writes is struck, so that a look-up tells the truth.
 */
export function outsideRoute(call: Call): Route {
  const service = call.path[1] ?? '';
  const handler = Object.hasOwn(SERVICES, service) ? SERVICES[service] : undefined;
  if (!handler) throw new Refusal(404, 'resource_not_found', 'there is no such service');
  const asks = (call.method === 'GET' && CRMS.includes(service)) || ASKS.includes(call.path.at(-1) ?? '');
  return {
    method: call.method,
    path: service,
    action: asks ? `${service}_list` : service,
    run: (world, made) =>
      setReplyOf(world.store, service, made.path.slice(2).join('/')) ?? answer(service, handler, world, made),
  };
}

function answer(service: string, handler: (world: World, call: Call) => Reply, world: World, call: Call): Reply {
  try {
    return handler(world, call);
  } catch (error) {
    const refusal = error instanceof ZodError ? new Refusal(400, 'invalid_parameters', z.prettifyError(error)) : error;
    if (!(refusal instanceof Refusal)) throw error;
    const own = refusalOfService(service, refusal);
    if (!own) throw refusal;
    return own;
  }
}

/** Says no to who has not the key, in the service's own words. */
export function refuseStranger(call: Call): Reply {
  const service = call.path[1] ?? '';
  const refusal = new Refusal(
    401,
    service === 'salesforce' ? 'invalid_session_id' : 'invalid_credentials',
    'the key is wrong',
  );
  const own = refusalOfService(service, refusal);
  if (!own) throw refusal;
  return own;
}

/** Whether a request carries the sandbox's key in any of the ways of the real services; webhooks and sites need none. */
export function mayCall(call: Call, apiKey: string): boolean {
  if (call.path[1] === 'hook' || call.path[1] === 'site') return true;
  const { authorization = '', ...others } = call.headers;
  if (authorization === `Bearer ${apiKey}` || Object.values(others).includes(apiKey)) return true;
  const basic = /^Basic (.+)$/.exec(authorization)?.[1];
  return basic !== undefined && Buffer.from(basic, 'base64').toString().endsWith(`:${apiKey}`);
}
