# A small program with Sentry's Ruby SDK, run as a separate process. Its argument is a DSN.

require "sentry-ruby"

Sentry.init do |config|
  config.dsn = ARGV.fetch(0)
  config.traces_sample_rate = 1.0
  config.environment = "test"
  config.release = "1.2.3"
  config.server_name = "program"
  # Each envelope is sent where it is captured, and the SDK logs an error if the server refuses it.
  config.background_worker_threads = 0
  config.logger = Logger.new($stderr, level: Logger::ERROR)
end

def pay
  raise KeyError, "row 12 is gone"
rescue KeyError
  raise ArgumentError, "no such cart"
end

checkout = Sentry.start_transaction(name: "checkout", op: "job")
Sentry.get_current_scope.set_span(checkout)
checkout.with_child_span(op: "db", description: "SELECT 1") { |span| span.set_data(:rows, 3) }
begin
  pay
rescue ArgumentError => e
  Sentry.set_tags(area: "checkout")
  Sentry.capture_exception(e)
end
# Larger than what the SDK sends without compression.
Sentry.capture_message("a large message", extra: { cart: "apple " * 10_000 })
checkout.finish
