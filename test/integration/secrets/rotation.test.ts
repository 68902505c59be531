import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { parse, parseAllDocuments } from 'yaml';
import { TestApi } from '../../fixtures/kubeapi/harness.ts';
import { kubernetesTools } from '../../tools/kubectl.ts';
import { commandBlocks } from '../../tools/platform-docs.ts';
import { CHART, type Manifest, podOf } from '../chart/rendered.ts';

const OLD = 'o'.repeat(48);
/** The cluster suite runs these, with pods: test/cluster/walkthrough.test.ts. Here the chart is rendered in their place. */
const NEEDS_PODS = /^kubectl .*(create job|wait|logs|get pods)/;

describe('the page that rotates the key of a cluster', function () {
  this.timeout(120_000);
  let api: TestApi;
  let folder: string;
  before(async () => {
    api = await TestApi.start();
    folder = await mkdtemp(join(tmpdir(), 'outrider-rotation-'));
    await symlink(join(CHART, '..'), join(folder, 'charts'));
    await cp(CHART, join(folder, 'probe'), { recursive: true });
    const templates = join(folder, 'probe/templates');
    const kept = ['secrets.yaml', 'operator.yaml', 'mcp-server.yaml'];
    for (const name of await readdir(templates)) {
      if (kept.includes(name)) await rename(join(templates, name), join(templates, `_${name}`));
      else if (name !== '_helpers.tpl') await rm(join(templates, name), { recursive: true });
    }
    const texts = kept.map((name) => `  ${name}: {{ include (print $.Template.BasePath "/_${name}") . | quote }}`);
    const probe = ['apiVersion: v1', 'kind: ConfigMap', 'metadata: { name: probe }', 'data:', ...texts];
    await writeFile(join(templates, 'probe.yaml'), probe.join('\n'));
  });
  after(async () => {
    await api.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function shell(line: string): Promise<string> {
    const { kubectl, helm } = await kubernetesTools();
    const path = `${dirname(kubectl)}:${dirname(helm)}:${process.env['PATH']}`;
    const env = { PATH: path, HOME: folder, KUBECONFIG: api.kubeconfig };
    return new Promise((resolve, reject) => {
      execFile('sh', ['-c', line], { cwd: folder, env, timeout: 60_000, maxBuffer: 32_000_000 }, (error, out, err) =>
        error ? reject(new Error(`${line}: ${out}${err}`)) : resolve(out),
      );
    });
  }

  const keys = async (): Promise<{ key: string; old: string | undefined }> => {
    const { data } = JSON.parse(await shell('kubectl -n outrider get secret outrider-secrets -o json'));
    const text = (name: string): string | undefined => data[name] && Buffer.from(data[name], 'base64').toString();
    return { key: text('OUTRIDER_SECRETS_KEY') ?? '', old: text('OUTRIDER_SECRETS_OLD_KEYS') };
  };
  /**
   * What an upgrade would apply: the keys of the Secret, and the mark by which pods are made anew. Helm asks the cluster for the Secret that
   * is there; since ours knows no Deployments, their templates come as the texts of a ConfigMap.
   */
  const upgraded = async (): Promise<{ key: string; old: string | undefined; marks: string[] }> => {
    const text = await shell(
      'helm template outrider probe -n outrider --dry-run=server --set database.existingSecret=outrider-db',
    );
    const probe = parse(text) as { data: Record<string, string> };
    const manifests = Object.values(probe.data)
      .flatMap((one) => parseAllDocuments(one))
      .flatMap((one) => (one.toJS() as Manifest | null) ?? []);
    const secret = manifests.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === 'outrider-secrets');
    const { data = {} } = secret as unknown as { data?: Record<string, string> };
    const decoded = (name: string): string | undefined =>
      data[name] === undefined ? undefined : Buffer.from(data[name], 'base64').toString();
    const pods = manifests.filter(({ kind }) => kind === 'Deployment').map((one) => podOf(one));
    const executors = pods
      .flatMap((pod) => pod?.spec.containers[0]?.env ?? [])
      .find(({ name }) => name === 'EXECUTOR_POD_JSON');
    const ofExecutors = JSON.parse(executors?.value ?? '{}').annotations?.['checksum/secrets'];
    const marks = [...pods.map((pod) => pod?.annotations['checksum/secrets']), ofExecutors];
    return {
      key: decoded('OUTRIDER_SECRETS_KEY') ?? '',
      old: decoded('OUTRIDER_SECRETS_OLD_KEYS'),
      marks: [...new Set(marks.map((mark) => mark ?? 'none'))],
    };
  };

  it('first opens by the new key, then seals by it, then forgets the old one; each step makes all pods anew, and no key is an argument', async () => {
    await shell(
      `kubectl create namespace outrider && kubectl -n outrider create secret generic outrider-secrets --from-literal=OUTRIDER_SECRETS_KEY=${OLD} --from-literal=SESSION_SECRET=kept`,
    );
    const steps = [];
    for (const { lines } of commandBlocks('reference/secrets.md').filter(({ marker }) => marker === 'needs: cluster')) {
      const own = lines.filter((line) => !line.startsWith('helm upgrade') && !NEEDS_PODS.test(line));
      if (own.length === 0) continue;
      for (const line of own) {
        expect(line, 'printf is the shell itself; a literal would show in the list of processes').not.to.match(
          /--from-literal|--patch[ =]|-p /,
        );
        await shell(line);
      }
      const stored = await keys();
      const after = await upgraded();
      expect({ key: after.key, old: after.old }, 'an upgrade keeps what was put there').to.deep.equal(stored);
      steps.push(after);
    }
    const [opens, seals, forgets] = steps;
    const fresh = opens?.old ?? '';
    expect(fresh).to.match(/^[0-9a-f]{48}$/);
    expect(opens?.key).to.equal(OLD);
    expect([seals?.key, seals?.old]).to.deep.equal([fresh, OLD]);
    expect([forgets?.key, forgets?.old]).to.deep.equal([fresh, undefined]);
    expect(steps).to.have.length(3);
    for (const { marks } of steps) expect(marks, 'MCP server, operator and executors together').to.have.length(1);
    expect(new Set(steps.flatMap(({ marks }) => marks)).size, 'each step another').to.equal(3);
    const { data } = JSON.parse(await shell('kubectl -n outrider get secret outrider-secrets -o json'));
    expect(data.SESSION_SECRET, 'the others stay').to.equal(Buffer.from('kept').toString('base64'));
    expect((await readdir(folder)).filter((name) => name.endsWith('-key'))).to.deep.equal([]);
  });
});
