# Orders in a table of SQLite, with totals per customer: the standard library of Python alone.
#   quire eval --file orders.py
#   quire eval --file orders.py --engine python-wasm
import csv
import io
import json
import sqlite3
from collections import Counter
from dataclasses import dataclass
from decimal import Decimal

ORDERS = """customer,item,price
Ana,tea,3.20
Ben,coffee,2.90
Ana,cake,4.10
Cleo,tea,3.20
Ben,tea,3.20
"""


@dataclass(frozen=True)
class Order:
    customer: str
    item: str
    price: Decimal


orders = [Order(row["customer"], row["item"], Decimal(row["price"])) for row in csv.DictReader(io.StringIO(ORDERS))]

db = sqlite3.connect(":memory:")
db.execute("create table orders (customer text, item text, cents integer)")
db.executemany("insert into orders values (?, ?, ?)", [(o.customer, o.item, int(o.price * 100)) for o in orders])

for customer, count, cents in db.execute("select customer, count(*), sum(cents) from orders group by customer order by 3 desc"):
    print(f"{customer:<6}{count:>3} orders {Decimal(cents) / 100:>7.2f} €")

print(json.dumps(Counter(o.item for o in orders).most_common(1)))
