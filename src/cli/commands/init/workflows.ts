/**
 * Workflow files for a nightly run on a CI platform. GitHub may drop a scheduled start on the hour, keeps artifacts for at most 90 days
 * and skips folders with a leading dot. Outputs, which init puts into `out`, have a cache for each run of the workflow: a job that runs
 * again after its end has the files of its run, not the files of a later run.
 */

interface WorkflowOptions {
  readonly name: string
  readonly pipeline: string
  readonly hasOwn: boolean
}

export const workflowFor = (platform: 'github' | 'gitlab', options: WorkflowOptions) =>
  platform === 'github' ? github(options) : gitlab(options)

/** The command as a YAML scalar, with the path quoted for the shell if necessary. */
function command(pipeline: string, more = ''): string {
  const run = (path: string): string => `npx --no-install fettle run ${path} --timeout 130m${more}`
  if (/^[\w./-]+$/.test(pipeline)) return run(pipeline)
  return JSON.stringify(run(`'${pipeline.replaceAll("'", "'\\''")}'`))
}

const INSTALL = 'commit a package.json with fettle among its dependencies: npm install ./fettle-0.1.0.tgz (npm pack)'

/** Not at minute 0, when most schedules start. The timeout is below the six hours of a job and above poll.timeout. */
const github = ({ name, pipeline }: WorkflowOptions) => ({
  path: `.github/workflows/fettle-${name}.yml`,
  notes: [INSTALL, 'set the variable FETTLE_URL and the secrets FETTLE_USERNAME and FETTLE_PASSWORD of the repository'],
  text: `# Written by fettle init. A schedule may start late; the schedule of a public repository stops after 60 days without a commit.
name: fettle ${name}
on:
  schedule:
    - cron: '17 3 * * 1-5'    # UTC
  workflow_dispatch:
permissions:
  contents: read
concurrency:
  group: fettle-${name}
  cancel-in-progress: false   # the next start resumes a cancelled run; a second run at the same time waits
jobs:
  run:
    runs-on: ubuntu-latest
    timeout-minutes: 150      # above poll.timeout, 2h
    env:
      FETTLE_URL: \${{ vars.FETTLE_URL }}           # without these three lines: the embedded service
      FETTLE_USERNAME: \${{ secrets.FETTLE_USERNAME }}
      FETTLE_PASSWORD: \${{ secrets.FETTLE_PASSWORD }}
    steps:
      - uses: actions/checkout@d23441a48e516b6c34aea4fa41551a30e30af803 # v6.1.0
        with:
          persist-credentials: false
      - uses: actions/setup-node@249970729cb0ef3589644e2896645e5dc5ba9c38 # v6.5.0
        with:
          node-version: 22
          cache: npm
      - run: npm ci
      - uses: actions/cache/restore@27d5ce7f107fe9357f9df03efb73ab90386fccae # v5.0.5; runs before this one: an unfinished one is resumed, a good one is compared
        with:
          path: fettle-runs
          key: fettle-${name}-\${{ github.run_id }}-\${{ github.run_attempt }}
          restore-keys: fettle-${name}-
      - uses: actions/cache/restore@27d5ce7f107fe9357f9df03efb73ab90386fccae # v5.0.5; "Re-run jobs" after a finished run reports it again, with its outputs
        with:
          path: out
          key: outputs-fettle-${name}-\${{ github.run_id }}-\${{ github.run_attempt }}
          restore-keys: outputs-fettle-${name}-\${{ github.run_id }}-
      - id: fettle
        run: ${command(pipeline)}
      - id: last
        if: always()                      # old runs go; what they spent stays, and so does an unfinished run
        run: |
          echo "run=$(cat fettle-runs/latest)" >> "$GITHUB_OUTPUT"
          npx --no-install fettle runs prune --older-than 30d
      - uses: actions/cache/save@27d5ce7f107fe9357f9df03efb73ab90386fccae # v5.0.5
        if: always()
        with:
          path: fettle-runs
          key: fettle-${name}-\${{ github.run_id }}-\${{ github.run_attempt }}
      - uses: actions/cache/save@27d5ce7f107fe9357f9df03efb73ab90386fccae # v5.0.5
        if: always()
        with:
          path: out
          key: outputs-fettle-${name}-\${{ github.run_id }}-\${{ github.run_attempt }}
      - uses: actions/upload-artifact@b7c566a772e6b6bfb58ed0dc250532a479d7789f # v6.0.0
        if: always()
        with:
          name: fettle-${name}-\${{ github.run_attempt }}
          path: |
            fettle-runs/\${{ steps.fettle.outputs.run_id || steps.last.outputs.run }}
            out
          retention-days: 14
          if-no-files-found: ignore
`,
})

const gitlab = ({ name, pipeline, hasOwn }: WorkflowOptions) => {
  const path = hasOwn ? `.gitlab/fettle-${name}.yml` : '.gitlab-ci.yml'
  return {
    path,
    notes: [
      ...(hasOwn ? [`add to .gitlab-ci.yml: include: { local: ${path} }`] : []),
      INSTALL,
      'set the CI/CD variables FETTLE_URL, FETTLE_USERNAME and FETTLE_PASSWORD (masked), and a schedule, such as 17 3 * * 1-5',
    ],
    text: `# Written by fettle init. Start it by a schedule (Build, Pipeline schedules), not on the hour, or by hand.
fettle-${name}:
  image: node:22
  rules:
    - if: $CI_PIPELINE_SOURCE == "schedule"
    - if: $CI_PIPELINE_SOURCE == "web"
  resource_group: fettle-${name}    # one at a time
  interruptible: false
  timeout: 2h 30m                   # above poll.timeout, 2h
  retry:
    max: 2
    exit_codes: [75, 130, 137, 143] # try again, stopped, killed: the same command resumes the run
  cache:                            # runs before this one: an unfinished one is resumed, a good one is compared
    - key: fettle-${name}
      paths: [fettle-runs]
      when: always
    - key: outputs-fettle-${name}-$CI_PIPELINE_ID  # "Retry" after a finished run reports it again, with its outputs
      paths: [out]
      when: always
  script:
    - npm ci
    - ${command(pipeline, ' --result-file result.json')}
  after_script:                     # the cache keeps the runs of 30 days and what all have spent, the artifact has this one
    - run=$(node -p 'require("./result.json").runId' | grep ^2 || cat fettle-runs/latest)
    - cp -r "fettle-runs/$run" report
    - npx --no-install fettle runs prune --older-than 30d
  artifacts:
    when: always
    expire_in: 14 days
    paths: [report, out]
    reports:
      junit: fettle-runs/junit.xml
      metrics: fettle-runs/metrics.txt
`,
  }
}
