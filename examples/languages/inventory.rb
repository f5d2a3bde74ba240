# An inventory with a report of what is short: the standard library of Ruby alone.
#   quire eval --file inventory.rb
#   quire eval --file inventory.rb --engine ruby-wasm
require "json"
require "set"
require "date"

Item = Struct.new(:name, :stock, :least, :delivered, keyword_init: true) do
  def short? = stock < least
  def missing = [least - stock, 0].max
end

data = JSON.parse(<<~JSON, symbolize_names: true)
  [
    {"name": "bolt", "stock": 12, "least": 40, "delivered": "2024-02-28"},
    {"name": "nut", "stock": 90, "least": 40, "delivered": "2024-01-15"},
    {"name": "washer", "stock": 5, "least": 10, "delivered": "2023-12-31"}
  ]
JSON

items = data.map { |row| Item.new(**row) }
short, enough = items.partition(&:short?)

short.sort_by { |item| -item.missing }.each do |item|
  due = Date.parse(item.delivered).next_month
  puts format("%-8s %3d missing, due %s", item.name, item.missing, due)
end

names = Set.new(enough.map(&:name))
puts "enough: #{names.to_a.join(", ")}"
puts JSON.generate(items.to_h { |item| [item.name, item.missing] })
begin
  Item.new(colour: "red")
rescue ArgumentError => e
  puts "#{e.class}: #{e.message}"
end
