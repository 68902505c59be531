import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { writeKubeconfig } from '../../../pkg/standalone/kube-setup.ts';
import type { FaultHook, KubeApi } from '../../../pkg/standalone/kubeapi/kube-api.ts';
import { eventually } from '../../tools/kube.ts';
import { kubectl, type Run } from '../../tools/kubectl.ts';
import { openServer, type Server } from './server.ts';

/** Any JSON object of an answer. */
export type Json = { [key: string]: unknown };

/** An answer of the API. */
export interface Answer {
  code: number;
  headers: Record<string, string | string[] | undefined>;
  body: KubeBody;
}

/** The parts of objects, lists and Statuses that tests look at. */
export interface KubeBody extends Json {
  metadata: Json & {
    name: string;
    uid: string;
    resourceVersion: string;
    generation?: number;
    continue?: string;
    managedFields?: { manager: string; fieldsV1: Json }[];
  };
  spec: Json;
  status: Json;
  items: KubeBody[];
  message: string;
  reason: string;
  details: { causes: { field: string; message: string; reason: string }[] };
}

/** An event of a watch. */
export interface WatchEvent {
  type: string;
  object: KubeBody;
}

const TOKEN = 'test-token';

/** The API, spoken to with plain HTTP and with the real kubectl. */
export class TestApi {
  faults: FaultHook | undefined;
  readonly #server: Server;
  readonly #agent: Agent;
  readonly #folder: string;

  private constructor(server: Server, folder: string) {
    this.#server = server;
    this.#folder = folder;
    this.#agent = new Agent({ connect: { ca: server.authority } });
  }

  /**
   * @param database of the embedded API; a new one when absent
   * @param real false: the embedded one whatever the suite runs against
   */
  static async start(database?: string, real?: boolean): Promise<TestApi> {
    const holder: { test?: TestApi } = {};
    const server = await openServer(TOKEN, (method, path) => holder.test?.faults?.(method, path), database, real);
    const test = new TestApi(server, await mkdtemp(join(tmpdir(), 'kubeapi-')));
    holder.test = test;
    await test.#writeConfig();
    return test;
  }

  /** The embedded server itself, for what only it has. */
  get embedded(): KubeApi {
    if (!this.#server.embedded) throw new Error('this test is of the embedded API only');
    return this.#server.embedded;
  }

  /** The server ends and another one starts on the same data, to which versions of before are too old. */
  async restart(): Promise<void> {
    await this.#server.restart();
    await this.#writeConfig();
  }

  async stop(): Promise<void> {
    await this.#agent.close();
    await this.#server.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }

  get kubeconfig(): string {
    return join(this.#folder, 'config');
  }

  file(name: string): string {
    return join(this.#folder, name);
  }

  #writeConfig(): Promise<void> {
    return writeKubeconfig(this.kubeconfig, {
      server: this.#server.url,
      authority: this.#server.authority,
      user: 'admin',
      token: TOKEN,
      namespace: 'default',
    });
  }

  kubectl(
    args: string,
    options: { input?: string; env?: Record<string, string>; timeoutMs?: number } = {},
  ): Promise<Run> {
    return kubectl(this.kubeconfig, args.split(' '), options);
  }

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const answer = await request(`${this.#server.url}${path}`, {
      method: method as 'GET',
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    const json = text.startsWith('{') ? (JSON.parse(text) as KubeBody) : ({ message: text } as KubeBody);
    return { code: answer.statusCode, headers: answer.headers, body: json };
  }

  /** Brings in the Boats. @throws when the definition is refused */
  async defineBoats(): Promise<void> {
    const made = await this.call('POST', CRDS_PATH, BOATS);
    if (made.code !== 201) throw new Error(made.body.message);
    await eventually('Boats are served', async () => (await this.call('GET', BOATS_PATH)).code === 200, 30_000);
  }

  patch(path: string, type: 'json' | 'merge' | 'strategic-merge', body: unknown): Promise<Answer> {
    return this.call('PATCH', path, body, { 'content-type': `application/${type}-patch+json` });
  }

  apply(path: string, manager: string, body: unknown, force = false): Promise<Answer> {
    const query = `${path.includes('?') ? '&' : '?'}fieldManager=${manager}&force=${force}`;
    return this.call('PATCH', `${path}${query}`, body, { 'content-type': 'application/apply-patch+yaml' });
  }

  /** Events of a watch as they come; ends with the stream or the signal. */
  async *watch(path: string, signal: AbortSignal): AsyncGenerator<WatchEvent> {
    const answer = await request(`${this.#server.url}${path}`, {
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${TOKEN}` },
      signal,
    });
    let rest = '';
    for await (const chunk of answer.body as AsyncIterable<Buffer>) {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line) as WatchEvent;
    }
  }
}

/** Takes events until one satisfies the condition; that one is the last. */
export async function until(
  events: AsyncGenerator<WatchEvent>,
  last: (event: WatchEvent) => boolean,
): Promise<WatchEvent[]> {
  const seen: WatchEvent[] = [];
  for (;;) {
    const { value, done } = await events.next();
    if (done) return seen;
    seen.push(value);
    if (last(value)) return seen;
  }
}

const BOAT_SPEC = {
  type: 'object',
  description: 'What the boat should be.',
  required: ['captain'],
  properties: {
    captain: { type: 'string', minLength: 2, maxLength: 20, description: 'Who steers.' },
    sails: { type: 'integer', default: 2, minimum: 0, maximum: 9 },
    flag: { type: 'string', enum: ['red', 'blue'], maxLength: 10 },
    home: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'home is immutable' }] },
    route: { type: 'array', maxItems: 5, items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' },
    crew: {
      type: 'array',
      maxItems: 10,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name'],
        properties: { name: { type: 'string' }, role: { type: 'string', default: 'hand' }, pay: { type: 'integer' } },
      },
    },
    cargo: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
    labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 5 } },
  },
  'x-kubernetes-validations': [
    {
      rule: "!has(self.flag) || self.flag != 'red' || self.sails > 2",
      // string(self.sails) would cost too much: a real API server bounds what a text of unknown length may.
      messageExpression: "'a ' + self.flag + ' boat needs more than 2 sails'",
      reason: 'FieldValueForbidden',
      fieldPath: '.sails',
    },
    {
      rule: '!oldSelf.hasValue() || oldSelf.value().sails <= self.sails',
      message: 'sails only grow',
      optionalOldSelf: true,
    },
  ],
};

const CONDITIONS = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['type', 'status'],
    properties: { type: { type: 'string' }, status: { type: 'string' }, reason: { type: 'string' } },
  },
};

/** A definition that uses every feature that the API has. */
export const BOATS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.sea.test' },
  spec: {
    group: 'sea.test',
    scope: 'Namespaced',
    names: {
      plural: 'boats',
      singular: 'boat',
      kind: 'Boat',
      listKind: 'BoatList',
      shortNames: ['bt'],
      categories: ['fleet'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        selectableFields: [{ jsonPath: '.spec.captain' }],
        additionalPrinterColumns: [
          { name: 'Captain', type: 'string', jsonPath: '.spec.captain' },
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
          { name: 'Sails', type: 'integer', jsonPath: '.spec.sails', priority: 1 },
          { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
        ],
        schema: {
          openAPIV3Schema: {
            type: 'object',
            description: 'A boat of the fleet.',
            properties: {
              apiVersion: { type: 'string' },
              kind: { type: 'string' },
              metadata: { type: 'object' },
              spec: BOAT_SPEC,
              status: { type: 'object', properties: { phase: { type: 'string' }, conditions: CONDITIONS } },
            },
          },
        },
      },
    ],
  },
};

export const CRDS_PATH = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
export const BOATS_PATH = '/apis/sea.test/v1/namespaces/default/boats';

/** A boat as a client writes it. */
export function boat(name: string, spec: Json = {}, metadata: Json = {}): Json {
  return {
    apiVersion: 'sea.test/v1',
    kind: 'Boat',
    metadata: { name, ...metadata },
    spec: { captain: 'Ada', ...spec },
  };
}
