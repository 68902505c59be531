// Import directions of the house (docs/architecture.md): an arrow may only point downwards.
const LAYERS = [
  ['base'],
  ['metrics'],
  ['kube', 'postgres'],
  ['domain'],
  ['events'],
  ['api'],
  ['store', 'providers'],
  ['nodes'],
  ['engine', 'tools'],
  ['mcp', 'controllers', 'standalone'],
];
const upward = LAYERS.flatMap((layer, rank) =>
  layer.map((name) => {
    const above = LAYERS.slice(rank + 1).flat();
    const beside = layer.filter((other) => other !== name);
    const banned = [...above, ...beside];
    return {
      name: `${name}-imports-downwards`,
      severity: 'error',
      from: { path: `^pkg/${name}/` },
      to: { path: `^(cmd/|test/${banned.length ? `|pkg/(${banned.join('|')})/` : ''})` },
    };
  }),
);
module.exports = {
  forbidden: [
    ...upward,
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true, dependencyTypesNot: ['type-only'] } },
    {
      name: 'domain-is-pure',
      severity: 'error',
      from: { path: '^pkg/domain/' },
      to: {
        path: '^(node:)?(fs|net|http|https|child_process|dgram)$|node_modules/(koa|pg|ioredis|undici|@kubernetes)/|^pkg/(kube|postgres|metrics)/',
      },
    },
    {
      name: 'executor-reaches-no-kubernetes',
      severity: 'error',
      from: { path: '^(cmd/executor|pkg/engine|pkg/nodes)/' },
      to: { reachable: true, path: '^pkg/kube/|node_modules/@kubernetes/' },
    },
    {
      name: 'cmd-entries-stand-alone',
      severity: 'error',
      from: { path: '^cmd/([^/]+)/' },
      to: { path: '^cmd/(?!$1/)' },
    },
    // The console in the browser is a client: what it shares with the server are types, and rules that are pure.
    {
      name: 'console-is-a-client-of-the-tools',
      severity: 'error',
      from: { path: '^pkg/console/' },
      to: {
        path: '^(cmd|test|pkg/(?!console/|domain/|base/decode-text[.]ts$))|^node:|node_modules/(?!(preact|preact-iso|@preact/signals|@preact/signals-core)/)',
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'nobody-imports-the-console',
      severity: 'error',
      from: { path: '^(cmd|test|pkg/(?!console/))' },
      to: { path: '^pkg/console/' },
    },
    // Its server reaches data of tenants by tools alone; events tell ids, and who signs in and out is put on record.
    {
      name: 'console-server-asks-tools',
      severity: 'error',
      from: { path: '^pkg/mcp/console/' },
      to: { path: '^pkg/(kube|nodes|engine|store/(?!console/|audit/audit[.]ts$|events/read-events[.]ts$))' },
    },
    { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    exclude: { path: '^pkg/console/dist/' },
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
