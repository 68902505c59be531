import { createServer } from 'node:http';

// The least that Node does for a request: 200 and a few bytes.
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 }).end('{}');
});
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ mcpUrl: `http://127.0.0.1:${server.address().port}/mcp` })}\n`);
});
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
