// The spec reporter for people, and as JSON for the suite table: the counts, what failed, and what each file ran, skipped and took.
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const failures = [];
    const skipped = [];
    const ran = new Set();
    const took = {};
    const begun = new Map();
    // What a file costs beside its tests: servers, databases, workspaces of its fixtures.
    const fixtures = {};
    let hookBegan = 0;
    const isWhole = (suite) => suite.file && suite.parent?.root;
    const fileOf = (test) => test.file ?? test.parent?.file;
    const output = options.reporterOptions?.output ?? options.reporterOption?.output;
    // Written with each failure and suite too: a run that is ended by its time limit comes to no end.
    const write = () =>
      output &&
      writeFileSync(output, JSON.stringify({ stats: this.stats, failures, skipped, ran: [...ran], took, fixtures }));
    runner.on('hook', () => {
      hookBegan = performance.now();
    });
    runner.on('hook end', (hook) => {
      const file = fileOf(hook);
      if (file) fixtures[file] = (fixtures[file] ?? 0) + (performance.now() - hookBegan) / 1_000;
    });
    runner.on('fail', (failed, error) => {
      ran.add(fileOf(failed));
      failures.push({
        title: failed.fullTitle(),
        file: fileOf(failed),
        message: String(error?.message ?? error).slice(0, 400),
      });
      write();
    });
    runner.on('pass', (passed) => ran.add(fileOf(passed)));
    runner.on('pending', (test) => skipped.push({ title: test.fullTitle(), file: fileOf(test) }));
    runner.on('suite', (suite) => isWhole(suite) && begun.set(suite, performance.now()));
    runner.on('suite end', (suite) => {
      const since = begun.get(suite);
      if (since !== undefined) took[suite.file] = (took[suite.file] ?? 0) + (performance.now() - since) / 1_000;
      write();
    });
    runner.once('end', write);
  }
};
