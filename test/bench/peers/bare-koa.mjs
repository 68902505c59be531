import Koa from 'koa';

// The least that Koa does for a request: 200 and a few bytes.
const app = new Koa();
app.use((ctx) => {
  ctx.body = {};
});
const server = app.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${JSON.stringify({ mcpUrl: `http://127.0.0.1:${server.address().port}/mcp` })}\n`);
});
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
