-- What wrk sends: records of a design, each under a key of its own, and what it counts of the answers.
local threads = {}

function setup(thread)
  table.insert(threads, thread)
  thread:set("sender", #threads)
end

function init(args)
  design = args[1]
  math.randomseed(os.time() + sender)
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["Sec-Fetch-Site"] = "same-origin"
  run = string.format("%08x%08x%04x", os.time(), math.random(0, 2 ^ 31 - 1), sender)
  sent, stored, otherwise = 0, 0, 0
  texts = {}
  for place = 1, 500 do
    local digits = {}
    for question = 1, tonumber(args[2]) do digits[question] = math.random(0, 1) end
    texts[place] = table.concat(digits)
  end
end

function request()
  sent = sent + 1
  return wrk.format(nil, nil, nil, string.format(
    '{"key":"%s%012x","record":{"design":"%s","group":1,"answers":"%s"}}', run, sent, design, texts[sent % 500 + 1]))
end

function response(status)
  if status == 201 then stored = stored + 1 else otherwise = otherwise + 1 end
end

function done(summary, latency)
  local all, other = 0, 0
  for _, thread in ipairs(threads) do
    all, other = all + thread:get("stored"), other + thread:get("otherwise")
  end
  local errors = summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout
  print(string.format(
    '{"stored":%d,"otherwise":%d,"errors":%d,"seconds":%.3f,"p50":%.2f,"p95":%.2f,"p99":%.2f}', all, other, errors,
    summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(95) / 1e3, latency:percentile(99) / 1e3))
end
