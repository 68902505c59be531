// The spec reporter for people, and the counts and failed files as JSON for the suite table.
const { writeFileSync } = require('node:fs');
const { reporters } = require('mocha');

module.exports = class extends reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const failures = [];
    runner.on('fail', (failed, error) =>
      failures.push({
        title: failed.fullTitle(),
        file: failed.file ?? failed.parent?.file,
        message: String(error?.message ?? error).slice(0, 400),
      }),
    );
    runner.once('end', () => {
      const output = options.reporterOptions?.output ?? options.reporterOption?.output;
      if (output) writeFileSync(output, JSON.stringify({ stats: this.stats, failures }));
    });
  }
};
