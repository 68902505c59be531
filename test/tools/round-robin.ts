import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** A plain load balancer: each request to the next replica; one that takes no connection is passed over. */
export interface RoundRobin {
  url: string;
  /** Ports of the replicas, which may change while it runs. */
  replicas: number[];
  close(): Promise<void>;
}

export async function startRoundRobin(replicas: number[]): Promise<RoundRobin> {
  const agent = new Agent({ keepAlive: true });
  const balancer = { replicas, next: 0 };
  const forward = (from: IncomingMessage, body: Buffer, tries: number): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const port = balancer.replicas[balancer.next++ % balancer.replicas.length];
      const { method, url: path, headers } = from;
      const onward = request({ port, host: '127.0.0.1', method, path, headers, agent }, resolve);
      onward.on('error', (error: NodeJS.ErrnoException) => {
        // Nothing was accepted: the connection was refused, or an idle one had been closed meanwhile.
        const untaken = error.code === 'ECONNREFUSED' || (onward.reusedSocket && error.code === 'ECONNRESET');
        if (untaken && tries < 5) forward(from, body, tries + 1).then(resolve, reject);
        else reject(error);
      });
      onward.end(body);
    });
  const serve = async (from: IncomingMessage, to: ServerResponse): Promise<void> => {
    try {
      const chunks: Buffer[] = [];
      for await (const chunk of from) chunks.push(chunk as Buffer);
      const answer = await forward(from, Buffer.concat(chunks), 1);
      const { connection: _, ...headers } = answer.headers;
      to.writeHead(answer.statusCode ?? 502, headers);
      answer.pipe(to);
    } catch (error) {
      to.writeHead(502).end(String(error));
    }
  };
  const server = createServer((from, to) => void serve(from, to));
  // A client may keep its connections: their end is no answer to what is on its way.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    replicas: balancer.replicas,
    async close() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
}
