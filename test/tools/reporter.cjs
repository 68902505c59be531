// The spec reporter for people, and the counts and failed files as JSON for the suite table.
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const failures = [];
    const output = options.reporterOptions?.output ?? options.reporterOption?.output;
    // Written with each failure and suite too: a run that is ended by its time limit comes to no end.
    const write = () => output && writeFileSync(output, JSON.stringify({ stats: this.stats, failures }));
    runner.on('fail', (failed, error) => {
      failures.push({
        title: failed.fullTitle(),
        file: failed.file ?? failed.parent?.file,
        message: String(error?.message ?? error).slice(0, 400),
      });
      write();
    });
    runner.on('suite end', write);
    runner.once('end', write);
  }
};
