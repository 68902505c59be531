import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * A response that tells its request's id in x-request-id, no matter who writes its head: Koa, or a transport that took the exchange
 * over. As one of the headers of `writeHead`, which costs a tenth of what a header costs that is set before.
 */
export class IdentifiedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  requestId: string | undefined;

  override writeHead(status: number, given?: string | Headers, more?: Headers): this {
    const headers = typeof given === 'string' ? more : given;
    // A face without request ids has none to tell; headers as a list name each of theirs themselves.
    if (this.requestId === undefined || Array.isArray(headers)) return super.writeHead(status, headers);
    return super.writeHead(status, { ...headers, 'x-request-id': this.requestId });
  }
}
