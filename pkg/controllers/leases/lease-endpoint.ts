import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { messageOf } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { type LeaseDesk, type LeaseReply, leaseRequest, type PodIdentity } from '../../store/leases/lease-desk.ts';
import type { TokenPod, VerifyPodToken } from './pod-token.ts';

/** A question is a few words. */
const MAX_BODY = 4_096;

export interface LeaseEndpointOptions {
  host: string;
  /** 0: a free one. */
  port: number;
  desk: LeaseDesk;
  verify: VerifyPodToken;
  identify: (pod: TokenPod) => Promise<PodIdentity | null>;
  log: Logger;
}

/**
 * `POST /claims` for executor pods, in exchange for their pod-bound token. 401: no valid token; 403: not one of our
 * pods; otherwise the desk's answer, a refusal included.
 */
export class LeaseEndpoint {
  readonly #options: LeaseEndpointOptions;
  readonly #server: Server;

  constructor(options: LeaseEndpointOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => {
      this.#serve(request, response).catch((error: unknown) => {
        options.log.warn({ reason: messageOf(error) }, 'claim request failed');
        if (!response.headersSent) end(response, 503, { error: 'Claims cannot be handed out now; ask again.' });
        else response.destroy();
      });
    });
    this.#server.requestTimeout = 10_000;
    this.#server.headersTimeout = 5_000;
    this.#server.maxConnections = 2_000;
  }

  /** @returns the port it listens on */
  listen(): Promise<number> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.closeAllConnections();
      this.#server.close(() => resolve());
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'POST' || request.url !== '/claims') return end(response, 404, { error: 'not found' });
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    const pod = token === undefined ? undefined : await this.#options.verify(token);
    if (!pod) return end(response, 401, { error: 'A projected token for the audience outrider-executor is needed.' });
    const identity = await this.#options.identify(pod);
    if (!identity) {
      this.#options.log.warn({ pod: pod.name, namespace: pod.namespace }, 'claim refused: not an executor pod of ours');
      return end(response, 403, { error: 'This pod is no executor of ours.' });
    }
    const question = leaseRequest.safeParse(await bodyOf(request));
    if (!question.success) return end(response, 400, { error: 'not a claim request' });
    return end(response, 200, await this.#options.desk.answer(question.data, identity));
  }
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  let text = '';
  for await (const chunk of request) {
    text += (chunk as Buffer).toString('utf8');
    if (text.length > MAX_BODY) return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function end(response: ServerResponse, status: number, body: LeaseReply | { error: string }): void {
  if (status !== 200) response.setHeader('connection', 'close');
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
