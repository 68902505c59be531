import { z } from 'zod';
import { type Call, Refusal, type Reply } from '../http.ts';
import type { World } from '../world.ts';
import { change, kept, note } from './book.ts';
import type { StoredObject } from './hubspot-object.ts';

/** Kinds of mail that a portal sends. */
const SUBSCRIPTIONS = [
  { id: '101', name: 'Newsletter' },
  { id: '102', name: 'One to One' },
];
const unsubscribeBody = z.object({ emailAddress: z.string(), subscriptionId: z.string() });
/** Where a contact's refusals stand, beside what its properties show. */
const REFUSED = 'sandbox_refused';

/** `/communication-preferences/v3`: who gets which mail. Who refuses all of it has opted out. */
export function hubspotPreferences(world: World, call: Call): Reply {
  const [part = '', kind = '', address = ''] = call.path.slice(4);
  if (call.method === 'GET' && part === 'definitions') return definitions(world);
  if (call.method === 'GET' && part === 'status' && kind === 'email') return status(world, address);
  if (call.method === 'POST' && part === 'unsubscribe') return unsubscribe(world, call);
  throw new Refusal(404, 'resource_not_found', 'no such endpoint');
}

function definitions(world: World): Reply {
  const time = new Date(world.clock.now()).toISOString();
  const subscriptionDefinitions = SUBSCRIPTIONS.map((one) => ({
    ...one,
    description: one.name,
    isActive: true,
    isDefault: false,
    isInternal: false,
    createdAt: time,
    updatedAt: time,
  }));
  return { status: 200, body: { subscriptionDefinitions } };
}

function status(world: World, address: string): Reply {
  const refused = refusedBy(contactOf(world, address));
  const subscriptionStatuses = SUBSCRIPTIONS.map((one) => ({
    ...one,
    description: one.name,
    sourceOfStatus: 'SUBSCRIPTION_STATUS',
    status: refused.includes(one.id) ? 'NOT_SUBSCRIBED' : 'SUBSCRIBED',
  }));
  return { status: 200, body: { recipient: address, subscriptionStatuses } };
}

function unsubscribe(world: World, call: Call): Reply {
  const { emailAddress, subscriptionId } = unsubscribeBody.parse(call.body);
  const subscription = SUBSCRIPTIONS.find((one) => one.id === subscriptionId);
  if (!subscription) throw new Refusal(400, 'validation_error', `no subscription ${subscriptionId}`);
  const contact = contactOf(world, emailAddress);
  const refused = refusedBy(contact);
  if (refused.includes(subscriptionId))
    throw new Refusal(400, 'validation_error', `${emailAddress} is already unsubscribed from ${subscriptionId}`);
  if (contact) {
    const all = [...refused, subscriptionId];
    const optedOut = SUBSCRIPTIONS.every((one) => all.includes(one.id));
    const more = { [REFUSED]: all.join(';'), ...(optedOut ? { hs_email_optout: 'true' } : {}) };
    const { id, ...stored } = contact;
    change(world.store, id, { ...stored, properties: { ...stored.properties, ...more } });
  }
  const { idempotencyKey, body } = call;
  const at = world.clock.now();
  note(world.store, {
    at,
    service: 'hubspot',
    action: 'unsubscribe',
    about: emailAddress,
    idempotencyKey,
    headers: {},
    body,
  });
  const told = { ...subscription, description: subscription.name, sourceOfStatus: 'SUBSCRIPTION_STATUS' };
  return { status: 200, body: { ...told, status: 'NOT_SUBSCRIBED' } };
}

function contactOf(world: World, address: string): (StoredObject & { id: number }) | undefined {
  const mail = address.toLowerCase();
  return kept<StoredObject>(world.store, 'hubspot', 'contacts').find(
    (one) => one.properties['email']?.toLowerCase() === mail && !one.mergedInto,
  );
}

function refusedBy(contact: StoredObject | undefined): string[] {
  return (contact?.properties[REFUSED] ?? '').split(';').filter(Boolean);
}
