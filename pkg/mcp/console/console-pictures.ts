import type { UserError } from '../../base/errors.ts';
import { HttpError } from '../../base/http/http-error.ts';
import type { Caller } from '../../tools/tool-context.ts';
import { callTool } from '../call-tool.ts';
import type { Exchange } from '../exchange.ts';
import type { MessageServices } from '../handle-message.ts';
import { Layouts } from '../pictures/layouts.ts';
import { pictureAnswer, type ReadTool } from '../pictures/picture-page.ts';
import { CancelledCall } from '../sessions/running-calls.ts';
import { untilClosed } from '../until-closed.ts';
import { refusalKindOf, within } from './console-call.ts';

/** Pictures of workflows for who is signed in: what they show are answers of tools, with the limits, rules and audit of a call. */
export class ConsolePictures {
  readonly #services: MessageServices;
  readonly #layouts = new Layouts();

  constructor(services: MessageServices) {
    this.#services = services;
  }

  /** @param name what stands behind `pictures/` @throws HttpError */
  async answer(exchange: Exchange, name: string): Promise<void> {
    const { request, response } = exchange;
    const workspaceId = new URL(request.url ?? '', 'http://console').searchParams.get('workspaceId');
    const authenticated = workspaceId === null ? exchange.authenticated : within(exchange.authenticated, workspaceId);
    try {
      const read = this.#reader({ ...exchange, authenticated });
      const { headers, body } = await pictureAnswer(name, shareOf(authenticated.caller), read, this.#layouts);
      response.writeHead(200, { ...headers, 'content-length': Buffer.byteLength(body) });
      response.end(request.method === 'HEAD' ? undefined : body);
    } catch (error) {
      if (!(error instanceof CancelledCall)) throw error;
      response.destroy();
    }
  }

  #reader({ authenticated, requestId, response }: Exchange): ReadTool {
    const { gate, metrics, tools } = this.#services;
    const signal = untilClosed(response);
    return async (name, input) => {
      const tool = tools.get(name);
      if (!tool) throw new HttpError(404, `${name} is not served here.`);
      const admitted = await gate.count(authenticated, tool, input);
      if ('refused' in admitted) {
        const { text, retrySeconds } = admitted.refused;
        throw new HttpError(429, text, { 'retry-after': String(retrySeconds) });
      }
      const call = { tool, tools, authenticated, requestId, arguments: input, structured: true, signal };
      const result = await callTool(this.#services, metrics, { ...call, progress: () => undefined });
      if (!result.isError) return result.structuredContent;
      throw new HttpError(statusOf(result.refused), result.content[0]?.text ?? '');
    };
  }
}

/** In whose share of the workers a picture is drawn: a workspace has one, however many members ask. */
export function shareOf({ workspaces, user, keyId }: Pick<Caller, 'workspaces' | 'user' | 'keyId'>): string {
  const [workspace] = workspaces;
  return workspace ? `workspace:${workspace.workspaceId}` : `user:${user?.id ?? keyId}`;
}

/** @param refused undefined: it failed */
function statusOf(refused: UserError | undefined): number {
  if (refused?.reason === 'NotFound') return 404;
  return { limited: 429, denied: 403, refused: 422, fault: 503 }[refusalKindOf(refused)];
}
