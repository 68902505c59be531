import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Connection } from '../../pkg/standalone/connection.ts';
import type { RunningHome } from './running-home.ts';

const FOREIGN = {
  key: 'cs_5ec4e75ec4e75ec4e75ec4e75ec4e75e',
  hook: 'hook-5ec4e7-5ec4e7-5ec4e7-5ec4e7',
  run: 'run-5ec4e7-5ec4e7',
  invitation: 'invitation-5ec4e7-5ec4e7-5ec4e7',
};

/** Every text of an object, however deep. */
function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(leaves) : [];
}

/**
 * Makes what is secret (a key, an invitation), and gives secrets where they belong and where they don't.
 * @returns all secrets of the home: its own, those made here, those of strangers
 */
export async function feedSecrets(home: RunningHome, connection: Connection): Promise<string[]> {
  const stored = JSON.parse(await readFile(join(home.folder, 'secrets.json'), 'utf8')) as { sandboxApiKey: string };
  const { workspaceId } = connection;
  const tool = async <T>(name: string, input: object): Promise<T> => {
    const { code, text } = await home.cli('call', name, JSON.stringify({ workspaceId, ...input }));
    if (code !== 0) throw new Error(`${name}: ${text}`);
    return JSON.parse(text) as T;
  };
  const { key } = await tool<{ key: string }>('svc_create_api_key', {
    name: 'made',
    scopes: ['campaigns:read'],
    keyType: 'workspace',
  });
  const { inviteUrl } = await tool<{ inviteUrl: string }>('svc_create_invitation', { email: 'invited@acme.example' });
  const hooks = await webhooks(connection, stored.sandboxApiKey);
  await feed(connection, key, inviteUrl);
  return [
    ...leaves(stored),
    connection.userKey,
    connection.workspaceKey,
    key,
    basename(inviteUrl),
    ...hooks.map((url) => basename(url)),
    ...Object.values(FOREIGN),
  ];
}

/** Addresses that account sync registered; each ends in the account's secret. */
async function webhooks(connection: Connection, apiKey: string): Promise<string[]> {
  const answer = await fetch(`${connection.sandboxUrl}/api/v1/webhooks`, { headers: { 'x-api-key': apiKey } });
  const { items } = (await answer.json()) as { items: { request_url: string }[] };
  return items.map((hook) => hook.request_url);
}

/** Headers, addresses, bodies, broken requests. */
async function feed(to: Connection, made: string, inviteUrl: string): Promise<void> {
  const post = (url: string, headers: Record<string, string>, body: string): Promise<unknown> =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })
      .then((answer) => answer.text())
      .catch(() => undefined);
  const accept = 'application/json, text/event-stream';
  const call = (headers: Record<string, string>, body: string, query = ''): Promise<unknown> =>
    post(`${to.mcpUrl}${query}`, { accept, ...headers }, body);
  const tool = (name: string, input: object): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
  const { key, hook, run, invitation } = FOREIGN;
  await call({ authorization: `Bearer ${key}` }, tool('svc_whoami', {}));
  await call({ authorization: `Bearer ${made}` }, tool('svc_whoami', { key: made }));
  await call({ authorization: `Bearer ${made}` }, `{"broken": "${key}"`);
  await call({ authorization: `Bearer ${made}`, 'mcp-session-id': run }, tool('svc_create_campaign', { title: 'x' }));
  await call({ authorization: `Basic ${key}` }, '');
  await call({}, tool('svc_whoami', {}), `?key=${made}&token=${key}`);
  for (const secret of [run, to.runnerSecret]) {
    await call(
      { 'x-runner-secret': secret, 'x-workspace-id': to.workspaceId, 'x-user-id': 'nobody' },
      tool('svc_get_campaign', { campaignId: 'none' }),
    );
  }
  const ingress = new URL(inviteUrl).origin;
  for (const address of [`${to.mcpUrl.replace('/mcp', '')}/hooks/${hook}`, `${ingress}/hooks/${hook}`])
    await post(address, {}, hook);
  for (const address of [inviteUrl, `${ingress}/invitations/${invitation}`]) {
    await fetch(address).catch(() => undefined);
    await post(address, { authorization: `Bearer ${key}` }, JSON.stringify({ key }));
  }
  await fetch(`${to.sandboxUrl}/api/v1/accounts`, { headers: { 'x-api-key': key } }).catch(() => undefined);
}

/** What the home has shown so far, by where: its output, logs, metrics and command lines. */
export async function placesOf(home: RunningHome, connection: Connection): Promise<Map<string, string>> {
  const { userKey, workspaceKey } = connection;
  // The two keys are printed on purpose, once.
  const printed = home.running().output().replace(userKey, '').replace(workspaceKey, '');
  const places = new Map<string, string>([['what was printed', printed]]);
  const file = await readFile(join(home.folder, 'prometheus/targets.json'), 'utf8');
  for (const { targets, labels } of JSON.parse(file) as { targets: string[]; labels: Record<string, string> }[]) {
    for (const target of targets) {
      const text = await (await fetch(`http://${target}/metrics`)).text();
      places.set(`metrics of ${labels['component']} at ${target}`, text);
    }
  }
  for (const folder of [join(home.folder, 'logs'), join(home.folder, 'logs/pods')]) {
    for (const name of (await readdir(folder)).filter((one) => one.endsWith('.log')))
      places.set(name, await readFile(join(folder, name), 'utf8'));
  }
  for (const line of await home.processes()) places.set(`arguments of ${line.replaceAll('\0', ' ')}`, line);
  return places;
}
