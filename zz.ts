import { readFileSync, readdirSync } from 'node:fs';
import { startStage } from './test/bench/mcp/stage.ts';
import { perSecond, target } from './test/bench/mcp/load.ts';
const stage = await startStage();
const key = await stage.newKey();
const tool = (name: string, args: object) => target(stage.server.mcpUrl, 'tools/call', { name, arguments: args }, key);
const targets: Record<string, any> = {
  echo: await target(stage.echo.mcpUrl, 'tools/call', { name: 'echo', arguments: { text: 'x' } }),
  read: await tool('svc_get_campaign', { campaignId: 'campaign-7' }),
  stat: await tool('svc_get_workflow_node_types', {}),
  list: await target(stage.server.mcpUrl, 'tools/list', {}, key),
};
function cpu(): Record<string, number> {
  const out: Record<string, number> = {};
  for (const pid of readdirSync('/proc').filter(x => /^\d+$/.test(x))) {
    try {
      const s = readFileSync(`/proc/${pid}/stat`, 'utf8'); const c = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
      const f = s.slice(s.lastIndexOf(')') + 2).split(' ');
      let name = '';
      if (Number(pid) === stage.server.pid) name = 'server'; else if (Number(pid) === stage.echo.pid) name = 'echo';
      else if (Number(pid) === process.pid) name = 'loader'; else if (c.startsWith('postgres: ') && c.includes('outrider_app product_1')) name = 'pg'; else if (c.includes(String(stage.redis?.port))) name = 'redis';
      if (name) out[name] = (out[name] ?? 0) + Number(f[11]) + Number(f[12]);
    } catch {}
  }
  return out;
}
for (const name of (process.env.T ?? 'echo,read,stat,list').split(',')) {
  await perSecond(targets[name], 1);
  const a = cpu(); const r = await perSecond(targets[name], 4); const b = cpu();
  console.log(name, r.toFixed(0) + '/s', Object.keys(b).map(k => `${k} ${((b[k]! - (a[k] ?? 0)) * 10000 / (r * 4)).toFixed(0)}us`).join('  '));
}
await stage.stop();
