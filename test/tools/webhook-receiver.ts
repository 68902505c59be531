import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A delivery as a receiver got it. */
export interface Received {
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Of the body, where it is an envelope. */
  event: { id: string; kind: string; sequence: number; workspaceId: string; data: Record<string, unknown> };
}

/** Answers a delivery; default: 204 at once. */
export type Behaviour = (got: Received, response: ServerResponse) => void;

/** A webhook's other side on loopback, which keeps what it gets and answers as it is told. */
export interface WebhookReceiver {
  url: string;
  /** In the order of arrival. */
  got: Received[];
  behave(how?: Behaviour): void;
  close(): Promise<void>;
}

const taken: Behaviour = (_got, response) => {
  response.writeHead(204).end();
};

export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const got: Received[] = [];
  let how = taken;
  const server = createServer((request, response) => {
    void receive(request).then((one) => {
      got.push(one);
      how(one, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    got,
    behave: (next = taken) => {
      how = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function receive(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks).toString('utf8');
  const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
  return { path: request.url ?? '', headers, body, event: JSON.parse(body) as Received['event'] };
}

/** Ids of deliveries, as Standard Webhooks has them. */
export const idsOf = (all: readonly Received[]): (string | undefined)[] =>
  all.map(({ headers }) => headers['webhook-id']);

/** Whom a delivery is about. */
export const nameOf = ({ event }: Received): unknown => event.data['leadIds'] ?? event.data['leadId'];
