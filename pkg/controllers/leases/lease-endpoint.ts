import type { IncomingMessage } from 'node:http';
import { answerJson, httpApp } from '../../base/http/http-app.ts';
import { HttpError } from '../../base/http/http-error.ts';
import { HttpListener, SMALL_BOUNDS } from '../../base/http/http-listener.ts';
import { readBody } from '../../base/http/read-body.ts';
import { plainRefusal, type Refusal } from '../../base/http/refusal.ts';
import type { Ids } from '../../base/ids.ts';
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
  ids: Ids;
  verify: VerifyPodToken;
  identify: (pod: TokenPod) => Promise<PodIdentity | null>;
  log: Logger;
}

/** What a request is answered with. */
interface Answer {
  status: number;
  body: LeaseReply | { error: string };
}

const REFUSED: Refusal = { status: 503, headers: {}, body: { error: 'Claims cannot be handed out now; ask again.' } };

/**
 * `POST /claims` for executor pods, in exchange for their pod-bound token. 401: no valid token; 403: not one of our
 * pods; otherwise the desk's answer, a refusal included. Pods ask by the name of its Service: what opens it is the token.
 */
export class LeaseEndpoint {
  readonly #options: LeaseEndpointOptions;
  readonly #listener: HttpListener;

  constructor(options: LeaseEndpointOptions) {
    this.#options = options;
    const app = httpApp({
      name: 'leases',
      log: options.log,
      ids: options.ids,
      hosts: { hosts: 'any', origins: [] },
      paths: ['/claims'],
      // Each executor asks when it starts; renewals go to the database.
      probes: ['/claims'],
      refuse: (error) => (error instanceof HttpError ? plainRefusal(error) : REFUSED),
    });
    app.use(async (ctx) => {
      const { status, body } = await this.#answer(ctx.req);
      answerJson(ctx, status, body);
    });
    this.#listener = new HttpListener(app, SMALL_BOUNDS);
  }

  /** @returns the port it listens on */
  async listen(): Promise<number> {
    const { host, port } = this.#options;
    return Number(new URL(await this.#listener.listen(host, port)).port);
  }

  close(): Promise<void> {
    return this.#listener.close();
  }

  async #answer(request: IncomingMessage): Promise<Answer> {
    if (request.method !== 'POST' || request.url !== '/claims') return refused(404, 'not found');
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1];
    const pod = token === undefined ? undefined : await this.#options.verify(token);
    if (!pod) return refused(401, 'A projected token for the audience outrider-executor is needed.');
    const identity = await this.#options.identify(pod);
    if (!identity) {
      this.#options.log.warn({ pod: pod.name, namespace: pod.namespace }, 'claim refused: not an executor pod of ours');
      return refused(403, 'This pod is no executor of ours.');
    }
    const question = leaseRequest.safeParse(await questionOf(request));
    if (!question.success) return refused(400, 'not a claim request');
    return { status: 200, body: await this.#options.desk.answer(question.data, identity) };
  }
}

/** What is no JSON is no question either. */
async function questionOf(request: IncomingMessage): Promise<unknown> {
  const text = await readBody(request, { maxBytes: MAX_BODY });
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refused(status: number, error: string): Answer {
  return { status, body: { error } };
}
