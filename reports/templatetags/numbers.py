"""What the page of numbers says of them in words: {% load numbers %}."""

from django.template import Library

from reports.kinds.number import texts

register = Library()
register.filter("average", texts.average_text)
register.filter("true_average", texts.true_average)
register.filter("ends", texts.ends_text)
register.filter("quantiles", texts.quantile_texts)
register.filter("finest", texts.finest)
register.filter("average_cell", texts.mean_cells)
register.filter("quantile_label", texts.quantile_label)
register.filter("quantile_cells", texts.quantile_cells)
