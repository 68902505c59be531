import { TestApi } from './harness.ts';

const api = await TestApi.start(process.argv[2]);
for (let count = 0; ; count++) {
  const name = `c-${count}`;
  const made = await api.call('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name } });
  if (made.code === 201) process.stdout.write(`${name}\n`);
}
