import fc from 'fast-check';
import { monotonicMs } from '../../pkg/base/clock.ts';
import { EXECUTOR_MODES } from '../../pkg/domain/executor-mode.ts';
import { hashFloat } from '../../pkg/domain/random.ts';
import { anyLife } from '../simulation/model/any-life.ts';
import { live } from '../simulation/model/live.ts';
import { ModelWorld } from '../simulation/model/model-world.ts';
import { FULL, SEED, tellSeed, times } from './seed.ts';

// Random graphs of all node types, random people, and whatever happens to them: what a person is shown is compared with the rules.
for (const mode of EXECUTOR_MODES)
  describe(`chaos: any workflow, any people, whatever happens, ${mode}`, function () {
    this.timeout(FULL ? 7_200_000 : 240_000);
    let world: ModelWorld;
    before(async () => {
      world = await ModelWorld.open(mode);
    });
    after(() => world.close());
    afterEach(tellSeed);

    it('histories, messages, waits and figures are what the rules say', async () => {
      // Lives differ in length: of a share the next one does not begin when those before took long.
      const until = FULL ? Number.POSITIVE_INFINITY : monotonicMs() + 8_000;
      let played = 0;
      const lives = fc.asyncProperty(anyLife, async (life) => {
        if (played++ > 0 && monotonicMs() > until) return;
        const wrong = await live(world, life);
        if (wrong.length > 0) throw new Error(wrong.join('\n'));
      });
      // A smaller life with the same fault is looked for where there is time for it.
      const seed = Math.floor(hashFloat(SEED, 'any life') * 2 ** 31);
      await fc.assert(lives, { seed, numRuns: times(4, 400), endOnFailure: !FULL });
    });
  });
