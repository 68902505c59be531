import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';

/** A proxy on loopback that adds an API key, for clients that can send no headers. */
export interface KeyProxy {
  /** Address of the MCP endpoint behind it. */
  url: string;
  close(): void;
}

/** Passes on everything else as it is, also Host and Origin, and streams in both directions. */
export async function startKeyProxy(mcpUrl: string, key: string): Promise<KeyProxy> {
  const proxy = createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${key}` };
    const onward = httpRequest(mcpUrl, { method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      response.flushHeaders();
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const { port } = proxy.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
